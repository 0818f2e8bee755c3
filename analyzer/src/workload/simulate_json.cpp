#include <snapscope/analyzer/simulate.hpp>
#include <snapscope/base/text.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using Json = nlohmann::ordered_json;

Json by_distance(const DistanceCounts& counts) {
    Json out = Json::object();
    for (std::size_t i = 0; i < distance_count; ++i)
        out[to_string(static_cast<Distance>(i))] = counts[i];
    return out;
}

Json per(const DistanceCounts& counts, std::uint64_t of) {
    Json out = Json::object();
    for (std::size_t i = 0; i < distance_count; ++i)
        out[to_string(static_cast<Distance>(i))] =
            of == 0 ? Json(nullptr) : Json(static_cast<double>(counts[i]) / static_cast<double>(of));
    return out;
}

template <typename T> Json or_null(const std::optional<T>& value) {
    return value ? Json(*value) : Json(nullptr);
}

Json quotient(std::uint64_t count, std::uint64_t of) {
    return of == 0 ? Json(nullptr) : Json(static_cast<double>(count) / static_cast<double>(of));
}

void put_tally(Json& out, const CoherenceTally& tally) {
    out["accesses"] = tally.accesses;
    out["writes"] = tally.writes;
    out["transfers"] = by_distance(tally.transfers);
    out["upgrades"] = by_distance(tally.upgrades);
    out["prefetched"] = by_distance(tally.prefetched);
    out["invalidated_copies"] = tally.invalidated;
}

Json rows(const std::vector<NamedTally>& tallies, const char* name, std::uint64_t snapshots) {
    Json out = Json::array();
    for (const NamedTally& row : tallies) {
        Json each{{name, row.name}};
        put_tally(each, row.tally);
        each["transfers_per_snapshot"] = quotient(sum(row.tally.transfers), snapshots);
        out.push_back(std::move(each));
    }
    return out;
}

Json texts(const std::vector<std::string>& list) {
    Json out = Json::array();
    for (const std::string& text : list)
        out.push_back(to_utf8(text));
    return out;
}

Json lines(const SimulationResult& result) {
    Json out = Json::array();
    for (const LineTally& line : result.by_line) {
        Json each{
            {"structure", line.structure}, {"index", line.index}, {"address", fmt::format("{:#x}", line.address)}};
        put_tally(each, line.tally);
        out.push_back(std::move(each));
    }
    return out;
}

// Named as source `watch` names the columns of its matrices.
Json words(const SimulationResult& result) {
    Json out = Json::array();
    const auto add = [&](std::string name, const WordAccesses& word) {
        if (word.reads + word.writes > 0)
            out.push_back({{"word", std::move(name)}, {"reads", word.reads}, {"writes", word.writes}});
    };
    add("lock", result.lock_word);
    for (const EntryWords& entry : result.entry_words) {
        add(fmt::format("slot {} xid", entry.slot), entry.xid);
        add(fmt::format("slot {} xmin", entry.slot), entry.xmin);
    }
    return out;
}

Json matrix(const SimulationResult& result) {
    Json cycles = Json::object();
    for (std::size_t i = 0; i < distance_count; ++i)
        cycles[to_string(static_cast<Distance>(i))] = or_null(result.matrix.cycles[i]);
    return {{"name", to_utf8(result.matrix.name)},
            {"cycles_per_ns", result.matrix.cycles_per_ns},
            {"one_way_cycles", std::move(cycles)}};
}

Json ratio(std::optional<double> base, std::optional<double> other) {
    return base && other && *other > 0 ? Json(*base / *other) : Json(nullptr);
}

Json between_llcs(const SimulationResult& result) {
    Json out = Json::array(); // a row a reader
    for (std::uint64_t reader = 0; reader < result.llcs; ++reader) {
        Json row = Json::array();
        for (std::uint64_t supplier = 0; supplier < result.llcs; ++supplier)
            row.push_back(result.between_llcs[reader * result.llcs + supplier]);
        out.push_back(std::move(row));
    }
    return out;
}

} // namespace

Json to_json(const SimulationResult& result) {
    Json out{{"schema_version", 1},
             {"kind", "modelled"},
             {"load", to_utf8(result.load)},
             {"topology",
              {{"name", to_utf8(result.topology)},
               {"source", result.topology_source},
               {"description", result.topology_words},
               {"llcs", result.llcs}}},
             {"protocol", to_string(result.protocol)},
             {"prefetch", to_string(result.prefetch)},
             {"caches", "infinite"},
             {"snapshot_cache", {{"recorded", result.recorded_mode}, {"modelled", result.mode}}},
             {"placement", to_string(result.slots)},
             {"cpus", to_string(result.cpus)},
             {"stride_bytes", result.stride_bytes},
             {"events", result.events},
             {"events_lost", result.lost},
             {"snapshots", result.snapshots},
             {"transactions", result.transactions}};
    put_tally(out, result.total);
    out["transfers_total"] = sum(result.total.transfers);
    out["cold_misses"] = result.cold;
    out["useful_prefetches"] = result.useful_prefetches;
    out["per_snapshot"] = per(result.total.transfers, result.snapshots);
    out["per_snapshot"]["total"] = quotient(sum(result.total.transfers), result.snapshots);
    out["per_snapshot"]["upgrades"] = quotient(sum(result.total.upgrades), result.snapshots);
    out["per_snapshot"]["accesses"] = quotient(result.total.accesses, result.snapshots);
    out["by_structure"] = rows(result.by_structure, "structure", result.snapshots);
    out["by_purpose"] = rows(result.by_purpose, "purpose", result.snapshots);
    out["by_line"] = lines(result);
    out["by_word"] = words(result);
    out["between_llcs"] = between_llcs(result);
    out["estimated_cycles_per_snapshot"] = or_null(result.cycles_per_snapshot);
    out["matrix_source"] = to_string(result.matrix.source);
    out["matrix"] = matrix(result);
    out["lines_per_scan"] = {{"modelled", or_null(result.lines_per_scan)},
                             {"recorded", or_null(result.lines_per_scan_recorded)}};
    out["entries_at_end"] = result.entries_at_end;
    out["assumptions"] = texts(result.assumptions);
    out["not_modelled"] = texts(result.not_modelled);
    out["warnings"] = texts(result.warnings);
    return out;
}

Json to_json(std::span<const SimulationResult> results) {
    Json rows_json = Json::array();
    Json factors = Json::array();
    for (const SimulationResult& result : results) {
        rows_json.push_back(to_json(result));
        if (&result == &results.front())
            continue;
        const SimulationResult& base = results.front();
        factors.push_back(
            {{"base", base.mode},
             {"mode", result.mode},
             {"transfers_per_snapshot", ratio(transfers_per_snapshot(base), transfers_per_snapshot(result))},
             {"cross_socket_per_snapshot", ratio(transfers_per_snapshot(base, Distance::cross_socket),
                                                 transfers_per_snapshot(result, Distance::cross_socket))}});
    }
    return {
        {"schema_version", 1}, {"kind", "modelled"}, {"rows", std::move(rows_json)}, {"factors", std::move(factors)}};
}

} // namespace snapscope
