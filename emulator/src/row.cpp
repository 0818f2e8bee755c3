#include <snapscope/emulator/row.hpp>

#include <algorithm>
#include <numeric>

namespace snapscope::emulator {
namespace {

double per(std::uint64_t count, std::uint64_t snapshots) {
    return snapshots == 0 ? 0 : static_cast<double>(count) / static_cast<double>(snapshots);
}

} // namespace

std::uint64_t EmulatedRow::snapshots() const {
    return std::accumulate(repeats.begin(), repeats.end(), std::uint64_t{0},
                           [](std::uint64_t sum, const PhaseTruth& phase) { return sum + phase.snapshots; });
}

Movements movements_of(const EmulatedRow& row, std::string_view structure) {
    Movements out;
    for (const PhaseTruth& phase : row.repeats)
        for (const StructureTruth& each : phase.by_structure)
            if (each.name == structure)
                out += each.moved;
    return out;
}

Movements snapshot_movements(const EmulatedRow& row) {
    Movements out;
    for (const PhaseTruth& phase : row.repeats)
        out += phase.snapshot_movements();
    return out;
}

double events_per_snapshot(const PhaseTruth& phase) {
    return per(phase.snapshot_movements().cross_socket_events, phase.snapshots);
}

double events_per_snapshot(const EmulatedRow& row) {
    return per(snapshot_movements(row).cross_socket_events, row.snapshots());
}

std::optional<double> spread_percent(const EmulatedRow& row) {
    if (row.repeats.size() < 2)
        return std::nullopt;
    std::vector<double> values;
    for (const PhaseTruth& phase : row.repeats)
        values.push_back(events_per_snapshot(phase));
    const auto [low, high] = std::ranges::minmax(values);
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    return mean > 0 ? std::optional(100 * (high - low) / mean) : std::nullopt;
}

} // namespace snapscope::emulator
