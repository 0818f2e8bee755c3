#include <snapscope/emulator/row.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace snapscope::emulator {
namespace {

using Json = nlohmann::ordered_json;

Json per(std::uint64_t count, std::uint64_t snapshots) {
    return snapshots == 0 ? Json(nullptr) : Json(static_cast<double>(count) / static_cast<double>(snapshots));
}

Json by_distance(const DistanceCounts& counts) {
    Json out = Json::object();
    for (std::size_t i = 0; i < distance_count; ++i)
        out[to_string(static_cast<Distance>(i))] = counts[i];
    return out;
}

Json kinds(const KindCounts& counts, std::uint64_t snapshots) {
    return {
        {"load", per(counts[0], snapshots)}, {"store", per(counts[1], snapshots)}, {"rmw", per(counts[2], snapshots)}};
}

void put(Json& out, const Movements& moved, std::uint64_t snapshots) {
    out["accesses_per_snapshot"] = kinds(moved.accesses, snapshots);
    out["transfers"] = by_distance(moved.fetches);
    out["upgrades"] = by_distance(moved.upgrades);
    out["invalidated_copies"] = moved.invalidated;
    out["cross_socket_events"] = moved.cross_socket_events;
    out["cross_socket_events_per_snapshot"] = per(moved.cross_socket_events, snapshots);
}

double fraction(const PhaseTruth& phase) {
    return phase.barriers == 0 ? 0 : static_cast<double>(phase.timeouts) / static_cast<double>(phase.barriers);
}

Json phase_json(const PhaseTruth& phase) {
    Json out{{"barrier_instructions", phase.barrier_instructions},
             {"barrier_timeouts_fraction", fraction(phase)},
             {"snapshots", phase.snapshots},
             {"foreign_accesses", phase.foreign}};
    put(out, phase.snapshot_movements(), phase.snapshots);
    return out;
}

Json structures(const EmulatedRow& row) {
    Json out = Json::array();
    for (const StructureTruth& each : row.repeats.front().by_structure) {
        const Movements moved = movements_of(row, each.name);
        Json one{{"structure", each.name}, {"counted_for_snapshots", makes_snapshot(each.name)}};
        put(one, moved, row.snapshots());
        out.push_back(std::move(one));
    }
    return out;
}

Json functions(const PhaseTruth& phase) {
    Json out = Json::array();
    for (const FunctionTruth& each : phase.by_function)
        out.push_back({{"function", each.function},
                       {"structure", each.structure},
                       {"accesses_per_snapshot", kinds(each.accesses, phase.snapshots)}});
    return out;
}

Json lines(const PhaseTruth& phase, const Machine& machine) {
    Json out = Json::array();
    for (const LineTruth& line : phase.by_line) {
        Json one{{"structure", line.structure},
                 {"index", line.index},
                 {"address", fmt::format("{:#x}", line.address)},
                 {"sharing", to_string(line.sharing)},
                 {"reading_cpus", line.readers},
                 {"writing_cpus", line.writers},
                 {"first_touch_socket", machine.topology.cpus.at(line.first_touch_cpu).socket}};
        put(one, line.moved, phase.snapshots);
        out.push_back(std::move(one));
    }
    return out;
}

Json calls(const PhaseTruth& phase) {
    Json out = Json::array();
    for (const CallTruth& call : phase.calls)
        out.push_back({{"structure", call.structure},
                       {"most_common_reads", call.reads},
                       {"share_of_calls_that_read_it", call.share},
                       {"mean_reads", call.mean}});
    return out;
}

Json model_json(const ModelCheck& check) {
    Json rows = Json::array();
    for (const ModelLine& line : check.lines)
        rows.push_back({{"structure", line.structure},
                        {"index", line.index},
                        {"address", fmt::format("{:#x}", line.address)},
                        {"emulated", line.emulated},
                        {"modelled", line.modelled}});
    return {{"events", check.events},
            {"events_unmatched", check.unmatched},
            {"snapshots", check.snapshots},
            {"by_line", std::move(rows)}};
}

// Of the entries' array: how many lines the backends at work lie on.
std::uint64_t written_lines(const PhaseTruth& phase) {
    return static_cast<std::uint64_t>(std::ranges::count_if(phase.by_line, [](const LineTruth& line) {
        return (line.structure == "PGXACT" || line.structure == "xids") && line.writers > 0;
    }));
}

Json row_json(const EmulatedRow& row, const Machine& machine) {
    double timeouts = 0;
    for (const PhaseTruth& phase : row.repeats)
        timeouts += fraction(phase) / static_cast<double>(row.repeats.size());
    Json out{{"server", row.server},
             {"mode", row.mode},
             {"slot_spread", row.slot_spread},
             {"slots_churned", row.churned},
             {"workload", row.workload},
             {"clients", row.clients},
             {"idle", row.idle},
             {"max_connections", row.max_connections},
             {"barrier_instructions", row.barrier_instructions},
             {"barrier_timeouts_fraction", timeouts},
             {"snapshots", row.snapshots()},
             {"written_lines", written_lines(row.repeats.back())}};
    put(out, snapshot_movements(row), row.snapshots());
    const auto spread = spread_percent(row);
    out["spread_percent"] = spread ? Json(*spread) : Json(nullptr);
    out["repeats"] = Json::array();
    for (const PhaseTruth& phase : row.repeats)
        out["repeats"].push_back(phase_json(phase));
    out["convergence"] = Json::array();
    for (const PhaseTruth& phase : row.convergence)
        out["convergence"].push_back(phase_json(phase));
    const PhaseTruth& last = row.repeats.back();
    out["by_structure"] = structures(row);
    out["by_function"] = functions(last);
    out["by_line"] = lines(last, machine);
    out["calls"] = calls(last);
    out["model"] = row.model ? model_json(*row.model) : Json(nullptr);
    return out;
}

} // namespace

Json to_json(std::span<const EmulatedRow> rows, const Machine& machine) {
    Json list = Json::array();
    for (const EmulatedRow& row : rows)
        list.push_back(row_json(row, machine));
    return {{"schema_version", 1},
            {"kind", "emulated"},
            {"topology",
             {{"name", machine.shape},
              {"description", machine.topology.describe()},
              {"sockets", machine.topology.sockets},
              {"llcs", machine.topology.llcs},
              {"cpus", machine.topology.cpus.size()}}},
            {"barrier_instructions", rows.empty() ? Json(nullptr) : Json(rows.front().barrier_instructions)},
            {"protocol", "mesif"},
            {"caches", "infinite"},
            {"rows", std::move(list)}};
}

} // namespace snapscope::emulator
