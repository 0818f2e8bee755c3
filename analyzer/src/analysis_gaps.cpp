// What an analysis does not show, with what would show it; and what is odd in
// its data.
#include "analysis_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr double little_tolerance = 0.01;
constexpr double printed_ms = 0.0005; // half of the last digit that pgbench prints

bool names_transfers(const std::string& metric) {
    constexpr std::array<std::string_view, 5> words{"transfer", "hitm", "upi", "qpi", "c2c"};
    return std::any_of(words.begin(), words.end(),
                       [&](std::string_view word) { return metric.find(word) != std::string::npos; });
}

bool any_shape(const Analysis& analysis) {
    return std::any_of(analysis.curves.begin(), analysis.curves.end(), [](const CurveAnalysis& one) {
        return one.shape.form != Form::too_few_points && one.shape.form != Form::flat;
    });
}

// A metric that moves with x though tps does not, as the cost of a snapshot may.
bool any_trend(const Analysis& analysis) {
    return std::any_of(analysis.trends.begin(), analysis.trends.end(), [](const MetricTrend& trend) {
        return trend.change.verdict == Verdict::higher || trend.change.verdict == Verdict::lower;
    });
}

bool measures_transfers(const Sweep& sweep) {
    return std::any_of(sweep.kinds.begin(), sweep.kinds.end(),
                       [](const auto& metric) { return names_transfers(metric.first); });
}

bool has_repeats(const Analysis& analysis) {
    return std::all_of(analysis.curves.begin(), analysis.curves.end(),
                       [](const CurveAnalysis& one) { return one.variance.has_value(); });
}

bool has_modes(const Analysis& analysis) {
    return std::any_of(analysis.comparisons.begin(), analysis.comparisons.end(),
                       [](const CurveComparison& one) { return one.key == "mode"; });
}

void add_failed(const Analysis& analysis, std::vector<std::string>& out) {
    for (const CurveAnalysis& one : analysis.curves)
        for (const CurvePoint& point : one.curve.points)
            if (point.tps.empty() && !point.failed.empty())
                out.push_back(fmt::format("tps at {} {}{}: the point failed ({}); repeat it", analysis.x,
                                          plain(point.x), one.curve.keys.empty() ? "" : " (" + one.curve.name() + ")",
                                          point.failed.front().reason));
}

// Latency and tps of the same run that contradict each other.
void check_littles_law(const Analysis& analysis, std::vector<std::string>& out) {
    if (analysis.x != "clients")
        return;
    for (const CurveAnalysis& one : analysis.curves) {
        for (const CurvePoint* point : one.curve.measured()) {
            for (const char* name : {"latency_ms", "latency_avg_ms"}) {
                const auto at = point->metrics.find(name);
                if (at == point->metrics.end() || !(at->second > 0))
                    continue;
                const double expected = 1000 * point->x / at->second;
                const double off = std::fabs(*point->level() / expected - 1);
                if (off > little_tolerance + printed_ms / at->second)
                    out.push_back(fmt::format("{}clients {}: tps {} and clients / latency {} differ by {:.1f} %: the "
                                              "clients were not all busy, or the figures are of different runs",
                                              one.curve.keys.empty() ? "" : one.curve.name() + ", ", plain(point->x),
                                              plain(*point->level()), plain(std::round(expected)), 100 * off));
            }
        }
    }
}

// log tps minus its point's level, against the place in time.
void check_drift(const Sweep& sweep, const Analysis& analysis, std::vector<std::string>& out) {
    std::vector<double> order;
    std::vector<double> left;
    for (const SweepRun& run : sweep.runs) {
        if (!run.order || !run.tps)
            continue;
        for (const CurveAnalysis& one : analysis.curves)
            for (const CurvePoint* point : one.curve.measured())
                if (one.curve.keys == run.keys && point->x == run.x && point->tps.size() > 1) {
                    order.push_back(*run.order);
                    left.push_back(std::log(*run.tps / *point->level()));
                }
    }
    const auto found = correlate(order, left);
    if (found && found->p_value <= 0.05)
        out.push_back(
            fmt::format("tps drifts with time (rho {:+.2f} with the order of the runs, p = {:.4f}): the machine "
                        "was not the same throughout",
                        found->rho, found->p_value));
}

} // namespace

std::vector<std::string> not_shown_of(const Sweep& sweep, const Analysis& analysis) {
    std::vector<std::string> out;
    add_failed(analysis, out);
    if (!has_repeats(analysis))
        out.push_back(
            fmt::format("whether the differences come from {} or from restarts: start the server at least 5 times "
                        "at each value, in random order (snapscope sweep --repeat 5)",
                        analysis.x));
    if (any_shape(analysis)) {
        if (!measures_transfers(sweep))
            out.emplace_back(
                "whether cache lines move more where tps is low: no transfers were measured; record a fast and a "
                "slow value on bare metal with perf c2c or pcm, and import that (snapscope simulate models them "
                "without times)");
        if (!has_modes(analysis))
            out.push_back(
                fmt::format("whether reading the proc array is the cause: repeat the same values of {} with the "
                            "cached snapshot (snapscope sweep --mode off,copy); a swing that goes away with the "
                            "cache comes from there",
                            analysis.x));
        const bool regions = std::any_of(analysis.curves.begin(), analysis.curves.end(), [](const CurveAnalysis& one) {
            return one.shape.form == Form::regions && one.shape.regions.size() > 1;
        });
        if (regions && analysis.x == "max_connections")
            out.emplace_back("whether it is where the arrays lie in memory and not max_connections itself: vary "
                             "snapshot_layout_pad at one fixed max_connections; tps that follows the pad is placement");
    }
    if (!any_shape(analysis) && any_trend(analysis) && !measures_transfers(sweep))
        out.push_back(fmt::format("whether cache lines cross sockets more often with more {}: no transfers were "
                                  "measured here; record on a machine of several sockets with hitm or pcm (snapscope "
                                  "emulate and simulate count them without times)",
                                  analysis.x));
    for (const CurveAnalysis& one : analysis.curves)
        if (one.shape.peak_at_end && one.shape.form == Form::rising)
            out.push_back(fmt::format("where {}tps peaks: the highest value of {} is the last; measure beyond {}",
                                      one.curve.keys.empty() ? "" : "(" + one.curve.name() + ") ", analysis.x,
                                      plain(one.shape.highest_x)));
    const bool associated = std::any_of(analysis.associations.begin(), analysis.associations.end(),
                                        [](const Association& a) { return a.shown(); });
    if (associated)
        out.emplace_back("that what goes with tps causes it: change that one thing and hold the rest");
    return out;
}

std::vector<std::string> oddities_of(const Sweep& sweep, const Analysis& analysis) {
    std::vector<std::string> out;
    for (const CurveAnalysis& one : analysis.curves) {
        const std::string group = one.curve.keys.empty() ? "" : one.curve.name() + ", ";
        std::string last;
        for (const CurvePoint& point : one.curve.points) {
            for (const std::string& flag : point.flags)
                if (flag != last)
                    out.push_back(fmt::format("{}{} {}: {}", group, analysis.x, plain(point.x), flag));
            if (!point.flags.empty())
                last = point.flags.back();
            for (const FailedRun& failed : point.failed)
                out.push_back(fmt::format("{}{} {}: {} failed: {}", group, analysis.x, plain(point.x), failed.label,
                                          failed.reason));
        }
    }
    check_littles_law(analysis, out);
    check_drift(sweep, analysis, out);
    return out;
}

} // namespace snapscope
