#include "json_values.hpp"

#include <snapscope/analyzer/analysis.hpp>

#include <cmath>

namespace snapscope {
namespace {

using nlohmann::json;

json keys_of(const Curve& curve) {
    json out = json::object();
    for (const auto& [name, value] : curve.keys)
        out[name] = value;
    return out;
}

json mode_of(const Curve& curve) {
    for (const auto& [name, value] : curve.keys)
        if (name == "mode")
            return value;
    return nullptr;
}

json failed_of(const CurvePoint& point) {
    json out = json::array();
    for (const FailedRun& run : point.failed)
        out.push_back({{"run", run.label}, {"reason", run.reason}});
    return out;
}

json of(const Curve& curve, const CurvePoint& point) {
    json tps;
    if (const auto middle = point.level())
        tps = {{"median", *middle}, {"ci95", or_null(median_interval95(point.tps))}, {"values", point.tps}};
    return {{"x", point.x},
            {"mode", mode_of(curve)},
            {"group", keys_of(curve)},
            {"n", point.tps.size()},
            {"tps", tps},
            {"state", point.tps.empty() ? "failed" : "measured"},
            {"failed", failed_of(point)},
            {"left_out", point.cold},
            {"metrics", point.metrics},
            {"flags", point.flags}};
}

json of(const CurveAnalysis& one) {
    const Shape& s = one.shape;
    json regions = json::array();
    for (const Region& region : s.regions)
        regions.push_back({{"from", region.from},
                           {"to", region.to},
                           {"level", region.level},
                           {"median_tps", region.median_tps},
                           {"points", region.points}});
    json variance;
    if (one.variance) {
        const VarianceComponents& v = *one.variance;
        variance = {{"points", v.points},
                    {"runs", v.runs},
                    {"restart_sd_log", v.restart_sd},
                    {"restart_sd_log_ci95", or_null(std::optional(v.restart_sd95))},
                    {"between_sd_log", v.between_sd},
                    {"between_over_restart_variance_ci95", or_null(std::optional(v.between_ratio95))},
                    {"f", v.f},
                    {"p_value", v.p_value}};
    }
    return {{"group", keys_of(one.curve)},
            {"form", to_string(s.form)},
            {"monotonic", s.form == Form::too_few_points ? json() : json(s.monotonic)},
            {"regions", regions},
            {"regions_p_value", s.regions_p_value},
            {"swing", s.swing},
            {"highest", {{"x", s.highest_x}, {"tps", s.highest_tps}, {"at_end", s.peak_at_end}}},
            {"lowest", {{"x", s.lowest_x}, {"tps", s.lowest_tps}}},
            {"fall_from_highest_percent", s.fall_from_peak_percent},
            {"straight_line", {{"describes", s.line_describes}, {"r2", s.line_r2}}},
            {"noise_sd_log", or_null(s.noise)},
            {"variance", variance}};
}

json of(const Comparison& c) {
    return {{"change_percent", or_null(c.change_percent)},
            {"ci95_percent", or_null(c.interval_percent)},
            {"change", or_null(c.change)},
            {"ci95_change", or_null(c.interval)},
            {"p_value", or_null(c.p_value)},
            {"verdict", to_string(c.verdict)}};
}

json of(const CurveComparison& one) {
    json points = json::array();
    for (const ComparedPoint& point : one.points) {
        json next = of(point.change);
        next["x"] = point.x;
        next["base"] = point.base;
        next["new"] = point.other;
        points.push_back(std::move(next));
    }
    json crossovers = json::array();
    for (const Interval& at : one.crossovers)
        crossovers.push_back({{"from", at.low}, {"to", at.high}});
    return {{"key", one.key},     {"base", one.base}, {"new", one.other},
            {"group", one.group}, {"points", points}, {"crossovers", crossovers}};
}

json of(const NaturalExperiment& one) {
    return {{"base", one.base},
            {"new", one.cached},
            {"group", one.group},
            {"points", one.points},
            {"swing_base", one.swing_base},
            {"swing_new", one.swing_cached},
            {"interaction_p_value", or_null(one.interaction_p)},
            {"cache_removes_swing", one.cache_removes_swing},
            {"words", one.words}};
}

json of(const Association& one) {
    return {{"metric", one.metric},
            {"kind", one.kind},
            {"group", one.group},
            {"per_transaction", one.per_transaction},
            {"rho", one.correlation.rho},
            {"ci95", or_null(one.correlation.interval95)},
            {"p_value", one.correlation.p_value},
            {"p_holm", one.p_holm},
            {"partial_rho", or_null(one.partial_rho)},
            {"partial_p_value", or_null(one.partial_p_value)},
            {"n", one.correlation.n},
            {"shown", one.shown()},
            {"by_construction", one.by_construction.empty() ? json() : json(one.by_construction)}};
}

json of(const MetricTrend& one) {
    json out = of(one.change);
    out["metric"] = one.metric;
    out["kind"] = one.kind;
    out["group"] = one.group;
    out["from_x"] = one.from_x;
    out["to_x"] = one.to_x;
    out["rho"] = or_null(one.rho);
    return out;
}

template <typename T> json list(const std::vector<T>& items) {
    json out = json::array();
    for (const T& item : items)
        out.push_back(of(item));
    return out;
}

} // namespace

json to_json(const Analysis& analysis) {
    json points = json::array();
    for (const CurveAnalysis& one : analysis.curves)
        for (const CurvePoint& point : one.curve.points)
            points.push_back(of(one.curve, point));
    return {{"schema_version", 1},
            {"x", analysis.x},
            {"points", points},
            {"shape", of(analysis.curves.front())},
            {"shapes", list(analysis.curves)},
            {"comparisons", list(analysis.comparisons)},
            {"natural_experiments", list(analysis.natural)},
            {"associations", list(analysis.associations)},
            {"correction", "holm"},
            {"metric_trends", list(analysis.trends)},
            {"finding", analysis.finding},
            {"not_shown", analysis.not_shown},
            {"warnings", analysis.warnings}};
}

} // namespace snapscope
