// One curve of a sweep: tps by x, of the runs that share their keys.  Built
// once, then looked at by shape, variance, associations and comparisons.
#pragma once

#include <snapscope/analyzer/statistics.hpp>
#include <snapscope/analyzer/sweep.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace snapscope {

// Of the slowest later repeat: a first one below that is taken for cold.
inline constexpr double cold_fraction = 0.75;

struct FailedRun {
    std::string label, reason;
};

struct CurvePoint {
    double x = 0;
    std::vector<double> tps;               // of the runs that count, in their order; empty: all failed
    std::vector<double> cold;              // a first run that was left out
    std::vector<FailedRun> failed;         // never counted as 0
    std::map<std::string, double> metrics; // median over the runs that count
    std::map<std::string, std::vector<double>> metric_values;
    std::vector<std::string> flags; // why this point is suspicious

    [[nodiscard]] std::optional<double> level() const { return median(tps); }
};

struct Curve {
    std::vector<std::pair<std::string, std::string>> keys;
    std::vector<CurvePoint> points; // ascending x

    [[nodiscard]] std::string name() const { return group_name(keys); }
    // The points that have a tps.
    [[nodiscard]] std::vector<const CurvePoint*> measured() const;
};

// In the order in which the groups first appear.  With at least three repeats
// at a point, a first one below cold_fraction of the slowest later one is left
// out and kept in `cold`.  Two neighbouring points with exactly the same tps
// are flagged: measured tps does not repeat to the last digit.
[[nodiscard]] std::vector<Curve> curves_of(const Sweep& sweep);

} // namespace snapscope
