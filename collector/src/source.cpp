#include <snapscope/collector/source.hpp>

#include <algorithm>
#include <ctime>

namespace snapscope {

std::int64_t monotonic_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

SourceStatus counted_status(const char* name, std::int64_t start_ns, std::int64_t end_ns) {
    SourceStatus status;
    status.name = name;
    status.kind = EvidenceKind::counted;
    status.state = SourceState::active;
    status.start_ns = start_ns;
    status.end_ns = end_ns;
    return status;
}

Slot& slot_row(Run& run, std::uint32_t slot) {
    const auto place = std::lower_bound(run.slots.begin(), run.slots.end(), slot,
                                        [](const Slot& row, std::uint32_t number) { return row.slot < number; });
    if (place != run.slots.end() && place->slot == slot)
        return *place;
    Slot row;
    row.slot = slot;
    return *run.slots.insert(place, row);
}

} // namespace snapscope
