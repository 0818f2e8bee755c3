#include "analysis_parts.hpp"

#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t most_points = 2000; // of one curve: beyond, it is no sweep

} // namespace

Result<Analysis> analyze(const Sweep& sweep) {
    Analysis out;
    out.x = sweep.x;
    out.partial = sweep.partial;
    std::size_t measured = 0;
    std::string reason;
    for (Curve& curve : curves_of(sweep)) {
        if (curve.points.size() > most_points)
            return fail(fmt::format("{} values of {} are too many", curve.points.size(), sweep.x),
                        fmt::format("at most {}", most_points));
        measured += curve.measured().size();
        for (const CurvePoint& point : curve.points)
            if (reason.empty() && !point.failed.empty())
                reason = point.failed.front().reason;
        CurveAnalysis next;
        next.shape = shape_of(curve);
        next.variance = variance_components(curve);
        next.curve = std::move(curve);
        out.curves.push_back(std::move(next));
    }
    if (measured == 0)
        return fail("no run has a tps" + (reason.empty() ? "" : ": " + reason), "see the reasons of the failed points");
    out.comparisons = compare_curves(out.curves);
    out.natural = natural_experiments(out.curves);
    out.associations = associations_of(sweep, out.curves);
    out.trends = trends_of(sweep, out.curves);
    out.finding = finding_of(out);
    out.not_shown = not_shown_of(sweep, out);
    out.warnings = sweep.warnings;
    const std::vector<std::string> odd = oddities_of(sweep, out);
    out.warnings.insert(out.warnings.end(), odd.begin(), odd.end());
    return out;
}

} // namespace snapscope
