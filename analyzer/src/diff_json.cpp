#include "json_values.hpp"

#include <snapscope/analyzer/diff.hpp>

namespace snapscope {
namespace {

using nlohmann::json;

json of(const SideSummary& side) {
    return {{"n", side.n}, {"median", side.median}, {"mean", side.mean}, {"ci95", or_null(side.ci95)}};
}

json of(const std::optional<AaFloor>& floor) {
    if (!floor)
        return nullptr;
    return {{"percent", or_null(floor->percent)}, {"change_percent", or_null(floor->change_percent)},
            {"p_value", or_null(floor->p_value)}, {"n", floor->n},
            {"differs", floor->differs},          {"from", floor->given ? "runs" : "repeats of base"}};
}

json of(const MetricDiff& metric) {
    const Comparison& c = metric.comparison;
    return {{"name", metric.name},
            {"unit", metric.unit},
            {"better", to_string(metric.better)},
            {"base", of(metric.base)},
            {"new", of(metric.other)},
            {"change_percent", or_null(c.change_percent)},
            {"ci95_percent", or_null(c.interval_percent)},
            {"change", or_null(c.change)},
            {"ci95_change", or_null(c.interval)},
            {"mean_change_percent", or_null(metric.mean_change_percent)},
            {"scale", c.logarithmic ? "log ratio" : "difference"},
            {"workload", metric.workload.empty() ? json() : json(metric.workload)},
            {"resolution_percent", or_null(metric.resolution_percent())},
            {"aa_floor", of(metric.floor)},
            {"within_floor", metric.within_floor()},
            {"p_holm", c.p_value ? json(metric.p_holm) : json()},
            {"p_value", or_null(c.p_value)},
            {"exact", c.p_value ? json(c.exact) : json()},
            {"verdict", to_string(c.verdict)},
            {"regression", metric.regression()}};
}

} // namespace

json to_json(const Diff& diff) {
    json metrics = json::array();
    for (const MetricDiff& metric : diff.metrics)
        metrics.push_back(of(metric));
    return {{"schema_version", 1},   {"base", diff.base}, {"new", diff.other},        {"metrics", metrics},
            {"paired", diff.paired}, {"test", diff.test}, {"warnings", diff.warnings}};
}

} // namespace snapscope
