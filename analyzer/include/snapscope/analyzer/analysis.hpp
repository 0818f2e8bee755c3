// What a sweep says: the answer of `snapscope analyze`, which reports print too.
//
// It ends in a finding in plain words and in what is not shown, each with the
// measurement that would show it.  An association is never called a cause.
#pragma once

#include <snapscope/analyzer/compare.hpp>
#include <snapscope/analyzer/correlation.hpp>
#include <snapscope/analyzer/curve.hpp>
#include <snapscope/analyzer/shape.hpp>
#include <snapscope/analyzer/sweep.hpp>
#include <snapscope/analyzer/variance.hpp>

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct CurveAnalysis {
    Curve curve;
    Shape shape;
    std::optional<VarianceComponents> variance; // null without repeats
};

// tps against one metric across the points of one curve.
struct Association {
    std::string metric, kind, group;
    bool per_transaction = false; // a rate, divided by tps before it is compared with tps
    Correlation correlation;
    double p_holm = 1;                 // over all associations of this analysis
    std::optional<double> partial_rho; // x held fixed
    std::optional<double> partial_p_value;
    std::string by_construction; // why it says nothing; empty otherwise

    [[nodiscard]] bool shown() const { return by_construction.empty() && p_holm <= 0.05; }
};

// One metric from the first x to the last, in one curve.
struct MetricTrend {
    std::string metric, kind, group;
    double from_x = 0, to_x = 0;
    std::optional<double> rho; // with x; null below six points
    Comparison change;         // of the repeats at to_x against those at from_x
};

struct ComparedPoint {
    double x = 0;
    double base = 0, other = 0; // medians
    Comparison change;
};

// Two curves that differ in one key, at the x that both have.
struct CurveComparison {
    std::string key, base, other; // e.g. mode, off, copy
    std::string group;            // the keys that they share
    std::vector<ComparedPoint> points;
    std::vector<Interval> crossovers; // between these x the sign of the change turns
};

// The same x with and without the cache: does the swing go with it?
struct NaturalExperiment {
    std::string base, cached, group; // modes
    std::size_t points = 0;
    double swing_base = 1, swing_cached = 1;
    std::optional<double> interaction_p; // that the swing is the same in both; null without repeats
    std::string words;
    bool cache_removes_swing = false;
};

struct Analysis {
    std::string x;
    std::vector<CurveAnalysis> curves; // at least one
    std::vector<CurveComparison> comparisons;
    std::vector<NaturalExperiment> natural;
    std::vector<Association> associations;
    std::vector<MetricTrend> trends;
    std::string finding;
    std::vector<std::string> not_shown;
    std::vector<std::string> warnings;
    bool partial = false;
};

// Fails where no run has a tps.
[[nodiscard]] Result<Analysis> analyze(const Sweep& sweep);

[[nodiscard]] nlohmann::json to_json(const Analysis& analysis);

} // namespace snapscope
