// The metadata of the event trace: TSDL (CTF 1.8) as plain text.
#pragma once

#include "ctf_layout.hpp"

#include <snapscope/base/result.hpp>
#include <snapscope/recording/event_trace.hpp>

#include <string>
#include <string_view>

namespace snapscope::ctf {

inline constexpr const char* metadata_name = "metadata";

// "ring" or "ebpf".
[[nodiscard]] const char* source_name(EventSource source);

// The name of a slot's stream file, e.g. "ring-00042".
[[nodiscard]] std::string stream_name(EventSource source, std::uint32_t slot);

// run_id (32 hex digits) as bytes.
[[nodiscard]] Result<Uuid> parse_uuid(std::string_view run_id);

// `info.run_id` must be 32 hex digits.
[[nodiscard]] std::string write_metadata(const EventTraceInfo& info);

// Takes back what write_metadata wrote; not a general reader of TSDL.
[[nodiscard]] Result<EventTraceInfo> read_metadata(std::string_view text);

} // namespace snapscope::ctf
