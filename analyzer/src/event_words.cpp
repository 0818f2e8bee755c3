#include "event_words.hpp"

#include <snapscope/probes/abi.h>

#include <array>
#include <fmt/format.h>
#include <utility>

namespace snapscope {
namespace {

template <std::size_t Size> std::string word(const std::array<const char*, Size>& words, std::uint32_t code) {
    return code < Size ? std::string(words[code]) : fmt::format("unknown_{}", code);
}

} // namespace

std::string outcome_word(std::uint8_t outcome) {
    static constexpr std::array words{"unknown", "reused", "rebuilt", "private_scan"};
    return word(words, outcome);
}

std::string reason_word(std::uint8_t reason) {
    static constexpr std::array words{"unknown",       "xact_end",       "prepared_end",   "proc_add_xid",
                                      "subxact_abort", "standby_expire", "standby_assign", "recovery_info",
                                      "recovery_end",  "vacuum_flag",    "decoding_flag",  "restored_xmin",
                                      "slot_xmin"};
    static_assert(words.size() == SNAPSCOPE_REASON_COUNT, "every reason has its word");
    return word(words, reason);
}

std::string wait_word(std::uint32_t kind) {
    static constexpr std::array words{"unknown", "lock", "builder"};
    return word(words, kind);
}

std::string flag_words(std::uint16_t flags) {
    std::string out;
    for (const auto& [flag, name] :
         {std::pair{SNAPSCOPE_FLAG_SUBOVERFLOWED, "suboverflowed"}, std::pair{SNAPSCOPE_FLAG_RECOVERY, "recovery"},
          std::pair{SNAPSCOPE_FLAG_WAITED, "waited"}, std::pair{SNAPSCOPE_FLAG_LOCKFREE, "lockfree"},
          std::pair{SNAPSCOPE_FLAG_KEPT, "kept"}})
        if ((flags & flag) != 0)
            out += (out.empty() ? "" : "|") + std::string(name);
    return out;
}

TraceArgs snapshot_args(const Event& event) {
    TraceArgs args;
    args.text("outcome", outcome_word(event.outcome))
        .number("xcnt", std::uint64_t{event.a})
        .number("subxcnt", std::uint64_t{event.b})
        .number("lines", std::uint64_t{event.lines})
        .number("xmin", std::uint64_t{event.c})
        .number("xmax", std::uint64_t{event.d})
        .text("flags", flag_words(event.flags))
        .number("cpu", std::uint64_t{event.cpu});
    return args;
}

} // namespace snapscope
