// One server in one mode under one load: what its repeats say together, how far
// they are apart, and what other barriers give.
#pragma once

#include <snapscope/emulator/emulation.hpp>
#include <snapscope/emulator/model_check.hpp>
#include <snapscope/emulator/truth.hpp>

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <vector>

namespace snapscope::emulator {

struct EmulatedRow {
    std::string server; // version
    std::string mode;   // off, copy, spin, lockfree, or n/a
    bool slot_spread = false;
    bool churned = false; // all connections came and went first
    std::string workload;
    std::uint64_t clients = 0, idle = 0, max_connections = 0;
    std::uint64_t barrier_instructions = 0;
    std::vector<PhaseTruth> repeats;         // at that barrier
    std::vector<PhaseTruth> convergence;     // at others
    std::vector<std::uint64_t> transactions; // of each repeat
    std::optional<ModelCheck> model;         // of the first repeat, where it was asked for

    [[nodiscard]] std::uint64_t snapshots() const; // of all repeats
};

// The movements of one structure, of those that make a snapshot, or of all, over the repeats.
[[nodiscard]] Movements movements_of(const EmulatedRow& row, std::string_view structure);
[[nodiscard]] Movements snapshot_movements(const EmulatedRow& row);

[[nodiscard]] double events_per_snapshot(const PhaseTruth& phase);
// Over all repeats.
[[nodiscard]] double events_per_snapshot(const EmulatedRow& row);
// (largest - smallest) / mean of the repeats' events per snapshot, in percent; none for fewer than two.
[[nodiscard]] std::optional<double> spread_percent(const EmulatedRow& row);

// docs/emulate.md; the names are a contract.
[[nodiscard]] nlohmann::ordered_json to_json(std::span<const EmulatedRow> rows, const Machine& machine);

} // namespace snapscope::emulator
