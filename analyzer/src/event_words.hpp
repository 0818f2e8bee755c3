// The words for an event's codes, as totals and args spell them.
#pragma once

#include "trace_json.hpp"

#include <snapscope/recording/event.hpp>

#include <cstdint>
#include <string>

namespace snapscope {

[[nodiscard]] std::string outcome_word(std::uint8_t outcome); // reused, rebuilt, private_scan
[[nodiscard]] std::string reason_word(std::uint8_t reason);   // xact_end, ...
[[nodiscard]] std::string wait_word(std::uint32_t kind);      // lock, builder
[[nodiscard]] std::string flag_words(std::uint16_t flags);    // "waited|suboverflowed"; empty for none

// Args of a SNAPSHOT_DONE.
[[nodiscard]] TraceArgs snapshot_args(const Event& event);

} // namespace snapscope
