// Events of one backend, written down by hand.
#pragma once

#include <snapscope/analyzer/simulate.hpp>
#include <snapscope/probes/abi.h>

#include <algorithm>
#include <vector>

namespace snapscope {

class TestEvents {
  public:
    TestEvents& add(std::int64_t time_ns, std::uint32_t slot, std::uint16_t cpu, std::uint8_t type, std::uint32_t a = 0,
                    std::uint32_t b = 0) {
        Event event;
        event.time_ns = time_ns;
        event.slot = slot;
        event.cpu = cpu;
        event.type = type;
        event.a = a;
        event.b = b;
        events.push_back(event);
        return *this;
    }
    TestEvents& snapshot(std::int64_t from_ns, std::int64_t to_ns, std::uint32_t slot, std::uint16_t cpu,
                         std::uint8_t outcome, std::uint16_t flags = 0, std::uint32_t xids = 0) {
        add(from_ns, slot, cpu, SNAPSCOPE_EV_SNAPSHOT_START);
        add(to_ns, slot, cpu, SNAPSCOPE_EV_SNAPSHOT_DONE, xids);
        events.back().outcome = outcome;
        events.back().flags = flags;
        return *this;
    }
    // In the order of time; what was added first comes first.
    [[nodiscard]] EventPull pull() const {
        auto sorted = events;
        std::ranges::stable_sort(sorted, {}, &Event::time_ns);
        return [sorted, at = std::size_t{0}](std::span<EventTraceReader::Item> items) mutable -> Result<std::size_t> {
            const std::size_t count = std::min(items.size(), sorted.size() - at);
            for (std::size_t i = 0; i < count; ++i)
                items[i] = {EventSource::ring, sorted[at + i]};
            at += count;
            return count;
        };
    }
    std::vector<Event> events;
};

} // namespace snapscope
