#include <snapscope/analyzer/curve.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

// A factor between neighbours that is named beside an equal pair.
constexpr double jump_factor = 1.5;

// In time: by order where known, else by repeat, else as given.
bool earlier(const SweepRun* a, const SweepRun* b) {
    if (a->order && b->order)
        return *a->order < *b->order;
    return a->repeat.value_or(0) < b->repeat.value_or(0);
}

// Whether the first of the runs that have a tps is cold.
bool first_is_cold(const std::vector<const SweepRun*>& runs) {
    if (runs.size() < 3)
        return false;
    double slowest = *runs[1]->tps;
    for (std::size_t i = 2; i < runs.size(); ++i)
        slowest = std::min(slowest, *runs[i]->tps);
    return *runs.front()->tps < cold_fraction * slowest;
}

CurvePoint point_of(double x, std::vector<const SweepRun*> runs) {
    CurvePoint out;
    out.x = x;
    std::stable_sort(runs.begin(), runs.end(), earlier);
    std::vector<const SweepRun*> valid;
    for (const SweepRun* run : runs) {
        if (run->tps)
            valid.push_back(run);
        else
            out.failed.push_back({run->label, run->failure});
    }
    if (first_is_cold(valid)) {
        out.cold.push_back(*valid.front()->tps);
        valid.erase(valid.begin());
        out.flags.push_back(fmt::format(
            "the first run is cold ({:.0f} % of the later ones): left out", 100 * out.cold.front() / [&] {
                std::vector<double> later;
                for (const SweepRun* run : valid)
                    later.push_back(*run->tps);
                return *median(later);
            }()));
    }
    for (const SweepRun* run : valid) {
        out.tps.push_back(*run->tps);
        for (const auto& [name, value] : run->metrics)
            out.metric_values[name].push_back(value);
    }
    for (const auto& [name, values] : out.metric_values)
        out.metrics[name] = *median(values);
    return out;
}

// The same tps twice in a row, and what follows.
void flag_equal_neighbours(Curve& curve) {
    auto& points = curve.points;
    for (std::size_t i = 0; i + 1 < points.size(); ++i) {
        const auto here = points[i].level();
        const auto next = points[i + 1].level();
        if (!here || !next || *here != *next)
            continue;
        std::string text =
            fmt::format("x {} and {} hold exactly the same tps ({})", points[i].x, points[i + 1].x, *here);
        if (i + 2 < points.size())
            if (const auto after = points[i + 2].level(); after && *after > jump_factor * *here)
                text += fmt::format(", then x{:.1f} at {}", *after / *here, points[i + 2].x);
        text += ": one may be a copy of the other";
        points[i].flags.push_back(text);
        points[i + 1].flags.push_back(text);
    }
}

} // namespace

std::vector<const CurvePoint*> Curve::measured() const {
    std::vector<const CurvePoint*> out;
    for (const CurvePoint& point : points)
        if (!point.tps.empty())
            out.push_back(&point);
    return out;
}

std::vector<Curve> curves_of(const Sweep& sweep) {
    std::vector<Curve> out;
    std::vector<std::map<double, std::vector<const SweepRun*>>> runs;
    for (const SweepRun& run : sweep.runs) {
        auto at = std::find_if(out.begin(), out.end(), [&](const Curve& curve) { return curve.keys == run.keys; });
        if (at == out.end()) {
            out.push_back({run.keys, {}});
            runs.emplace_back();
            at = out.end() - 1;
        }
        runs[static_cast<std::size_t>(at - out.begin())][run.x].push_back(&run);
    }
    for (std::size_t i = 0; i < out.size(); ++i) {
        for (const auto& [x, at_x] : runs[i])
            out[i].points.push_back(point_of(x, at_x));
        flag_equal_neighbours(out[i]);
    }
    return out;
}

} // namespace snapscope
