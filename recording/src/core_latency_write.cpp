// The file of core_latency.hpp as it is written (docs/core-latency.md).
#include <snapscope/base/text.hpp>
#include <snapscope/recording/core_latency.hpp>

#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using nlohmann::json;

template <typename T> json or_null(const std::optional<T>& value) {
    return value ? json(*value) : json();
}

json of(const Spread& s) {
    return {{"min", s.min}, {"p10", s.p10}, {"p50", s.p50}, {"p90", s.p90}, {"p99", s.p99}};
}

json in_ns(const Spread& s, double cycles_per_ns) {
    return of(Spread{s.min / cycles_per_ns, s.p10 / cycles_per_ns, s.p50 / cycles_per_ns, s.p90 / cycles_per_ns,
                     s.p99 / cycles_per_ns});
}

json of(const Host& host) {
    return {{"name", to_utf8(host.name)},
            {"kernel", to_utf8(host.kernel)},
            {"cpu_model", to_utf8(host.cpu_model)},
            {"arch", to_utf8(host.arch)},
            {"hypervisor", host.hypervisor ? json(to_utf8(*host.hypervisor)) : json()}};
}

json of(const Cpu& cpu) {
    return {
        {"cpu", cpu.cpu}, {"core", cpu.core}, {"llc", or_null(cpu.llc)}, {"node", cpu.node}, {"socket", cpu.socket}};
}

json of(const CorePair& pair, double cycles_per_ns) {
    json out{{"cpu_a", pair.a},
             {"cpu_b", pair.b},
             {"border", to_string(pair.border)},
             {"rounds", pair.rounds},
             {"rounds_lost", pair.rounds_lost},
             {"one_way_cycles", nullptr},
             {"one_way_ns", nullptr},
             {"counter_offset_cycles", nullptr},
             {"counter_offset_bound_cycles", nullptr}};
    if (pair.rounds == 0)
        return out;
    out["one_way_cycles"] = of(pair.one_way_cycles);
    out["one_way_ns"] = in_ns(pair.one_way_cycles, cycles_per_ns);
    out["counter_offset_cycles"] = pair.counter_offset_cycles;
    out["counter_offset_bound_cycles"] = pair.counter_offset_bound;
    return out;
}

json of(const BorderCost& row, double cycles_per_ns) {
    return {{"border", to_string(row.border)},
            {"pairs", row.pairs},
            {"one_way_cycles", of(row.one_way_cycles)},
            {"one_way_ns", in_ns(row.one_way_cycles, cycles_per_ns)},
            {"factor", or_null(row.factor)},
            {"costs", or_null(row.costs)}};
}

json of(const LoadRow& row, double cycles_per_ns) {
    return {{"border", to_string(row.border)},
            {"state", to_string(row.state)},
            {"loads", row.loads},
            {"cycles", of(row.cycles)},
            {"ns", in_ns(row.cycles, cycles_per_ns)}};
}

json of(const std::optional<LoadThreshold>& t) {
    if (!t)
        return nullptr;
    return {{"cycles", t->cycles},         {"low_cycles", t->low_cycles}, {"high_cycles", t->high_cycles},
            {"slow_loads", t->slow_loads}, {"missed", t->missed},         {"missed_rate", t->missed_rate()},
            {"fast_loads", t->fast_loads}, {"false_slow", t->false_slow}, {"false_rate", t->false_rate()}};
}

json of(const Separability& row) {
    return {{"border", to_string(row.border)},
            {"fast", to_string(row.fast)},
            {"slow", to_string(row.slow)},
            {"error_rate", row.error_rate}};
}

template <typename T, typename... More> json rows_of(const std::vector<T>& rows, More... more) {
    json out = json::array();
    for (const T& row : rows)
        out.push_back(of(row, more...));
    return out;
}

} // namespace

json core_latencies_to_json(const CoreLatencies& latencies) {
    const double scale = latencies.cycles_per_ns;
    json warnings = json::array();
    for (const auto& warning : latencies.warnings)
        warnings.push_back(to_utf8(warning));
    return {{"schema_version", core_latency_schema_version},
            {"tool", {{"name", "snapscope"}, {"version", to_utf8(latencies.tool_version)}}},
            {"origin", latencies.synthetic ? "synthetic" : "measured"},
            {"host", of(latencies.host)},
            {"cpus", rows_of(latencies.host.cpus)},
            {"clock", {{"counter", latencies.counter}, {"cycles_per_ns", scale}}},
            {"pairs_possible", latencies.pairs_possible},
            {"sampled", latencies.pairs.size() < latencies.pairs_possible},
            {"pairs", rows_of(latencies.pairs, scale)},
            {"borders", rows_of(latencies.borders, scale)},
            {"loads", rows_of(latencies.loads, scale)},
            {"threshold", of(latencies.threshold)},
            {"separable", rows_of(latencies.separable)},
            {"warnings", warnings}};
}

} // namespace snapscope
