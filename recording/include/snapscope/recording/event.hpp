// One recorded event, as it comes from the rings or from eBPF and as the event
// trace stores it.
#pragma once

#include <cstdint>

namespace snapscope {

// Which source recorded an event; also the CTF stream class id.
enum class EventSource : std::uint8_t { ring = 0, ebpf = 1 };

// Fields and their meaning per type: probes/abi.h (struct snapscope_record).
struct Event {
    std::int64_t time_ns = 0; // CLOCK_MONOTONIC
    std::uint32_t slot = 0;   // PGPROC index
    std::uint32_t pid = 0;    // the slot's owner then; 0 unknown
    std::uint8_t type = 0;    // enum snapscope_event
    std::uint8_t outcome = 0; // enum snapscope_outcome or snapscope_reason
    std::uint16_t cpu = 0;
    std::uint16_t lines = 0;
    std::uint16_t flags = 0;
    std::uint32_t a = 0;
    std::uint32_t b = 0;
    std::uint32_t c = 0;
    std::uint32_t d = 0;

    friend bool operator==(const Event&, const Event&) = default;
};

} // namespace snapscope
