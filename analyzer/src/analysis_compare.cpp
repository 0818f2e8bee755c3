// Curves against each other: change by x, crossovers, and whether the swing
// goes away with the cache.
#include "analysis_parts.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::array<std::string_view, 3> compared_keys{"mode", "variant", "reconnect"};
constexpr double level = 0.05;

// The key in which two curves differ, when it is the only one.
std::optional<std::size_t> only_difference(const Curve& a, const Curve& b) {
    if (a.keys.size() != b.keys.size())
        return std::nullopt;
    std::optional<std::size_t> out;
    for (std::size_t i = 0; i < a.keys.size(); ++i) {
        if (a.keys[i] == b.keys[i])
            continue;
        if (out || a.keys[i].first != b.keys[i].first)
            return std::nullopt;
        out = i;
    }
    return out;
}

// What others are compared with: uncached, persistent, before; else what came first.
bool is_base(const std::string& key, const std::string& value) {
    if (key == "reconnect")
        return value == "0" || value == "false" || value == "f" || value == "no" || value == "off";
    return value == "off" || value == "before" || value == "base";
}

std::string shared_keys(const Curve& curve, std::size_t without) {
    auto keys = curve.keys;
    keys.erase(keys.begin() + static_cast<std::ptrdiff_t>(without));
    return group_name(keys);
}

std::vector<std::pair<const CurvePoint*, const CurvePoint*>> common_points(const Curve& a, const Curve& b) {
    std::vector<std::pair<const CurvePoint*, const CurvePoint*>> out;
    for (const CurvePoint* left : a.measured())
        for (const CurvePoint* right : b.measured())
            if (left->x == right->x)
                out.emplace_back(left, right);
    return out;
}

void find_crossovers(CurveComparison& comparison) {
    double before = 0;
    double last_x = 0;
    for (const ComparedPoint& point : comparison.points) {
        const double sign = point.other > point.base ? 1 : point.other < point.base ? -1 : 0;
        if (sign == 0)
            continue;
        if (before != 0 && sign != before)
            comparison.crossovers.push_back({last_x, point.x});
        before = sign;
        last_x = point.x;
    }
}

CurveComparison compare_two(const Curve& base, const Curve& other, std::size_t key) {
    CurveComparison out{
        base.keys[key].first, base.keys[key].second, other.keys[key].second, shared_keys(base, key), {}, {}};
    for (const auto& [left, right] : common_points(base, other))
        out.points.push_back({left->x, *left->level(), *right->level(), compare_unpaired(left->tps, right->tps)});
    find_crossovers(out);
    return out;
}

// Pairs of curves that differ in one of the keys that are compared, base first.
template <typename Take> void each_pair(const std::vector<CurveAnalysis>& curves, Take take) {
    for (std::size_t i = 0; i < curves.size(); ++i) {
        for (std::size_t j = i + 1; j < curves.size(); ++j) {
            const Curve* base = &curves[i].curve;
            const Curve* other = &curves[j].curve;
            const auto key = only_difference(*base, *other);
            if (!key)
                continue;
            const std::string& name = base->keys[*key].first;
            if (std::find(compared_keys.begin(), compared_keys.end(), name) == compared_keys.end())
                continue;
            if (is_base(name, other->keys[*key].second))
                std::swap(base, other);
            take(*base, *other, *key, name);
        }
    }
}

double mean_log(const CurvePoint& point) {
    double sum = 0;
    for (const double tps : point.tps)
        sum += std::log(tps);
    return sum / static_cast<double>(point.tps.size());
}

double squares_within(const CurvePoint& point) {
    double out = 0;
    for (const double tps : point.tps)
        out += std::pow(std::log(tps) - mean_log(point), 2);
    return out;
}

// F test of the interaction x by mode on log tps, unweighted cell means
// (Searle, Linear Models, 10.5): is the ratio of the modes the same at every x?
std::optional<double> interaction_p(const std::vector<std::pair<const CurvePoint*, const CurvePoint*>>& points) {
    double within = 0;
    double df = 0;
    double inverse_repeats = 0;
    std::vector<double> ratios;
    for (const auto& [left, right] : points) {
        ratios.push_back(mean_log(*right) - mean_log(*left));
        for (const CurvePoint* one : {left, right}) {
            within += squares_within(*one);
            df += static_cast<double>(one->tps.size()) - 1;
            inverse_repeats += 1 / static_cast<double>(one->tps.size());
        }
    }
    if (ratios.size() < 2 || df < 1 || within <= 0)
        return std::nullopt;
    double spread = 0;
    for (const double ratio : ratios)
        spread += std::pow(ratio - *mean(ratios), 2);
    const auto count = static_cast<double>(ratios.size());
    const double f = spread / (count - 1) / (within / df * inverse_repeats / count);
    return boost::math::cdf(boost::math::complement(boost::math::fisher_f(count - 1, df), f));
}

double swing_of(const std::vector<std::pair<const CurvePoint*, const CurvePoint*>>& points, bool right) {
    double low = INFINITY;
    double high = 0;
    for (const auto& [a, b] : points) {
        const double tps = *(right ? b : a)->level();
        low = std::min(low, tps);
        high = std::max(high, tps);
    }
    return high / low;
}

const CurveAnalysis& analysis_of(const std::vector<CurveAnalysis>& curves, const Curve& curve) {
    return *std::find_if(curves.begin(), curves.end(), [&](const CurveAnalysis& one) { return &one.curve == &curve; });
}

void judge(NaturalExperiment& out, const std::optional<VarianceComponents>& base,
           const std::optional<VarianceComponents>& cached) {
    const std::string swings = fmt::format("tps swings {:.2f}x in {} and {:.2f}x in {}", out.swing_base, out.base,
                                           out.swing_cached, out.cached);
    if (!out.interaction_p || !base || !cached) {
        out.words = swings + "; without repeats that cannot be told from restart noise";
        return;
    }
    const std::string p = fmt::format(" (interaction p = {:.4f})", *out.interaction_p);
    if (base->p_value > level)
        out.words =
            swings + fmt::format("; in {} the differences between x are no larger than restarts make", out.base);
    else if (*out.interaction_p > level)
        out.words = swings + "; the swing is not shown to differ between the two" + p +
                    ": what the cache removes is not shown to be its cause";
    else if (out.swing_cached >= out.swing_base)
        out.words = swings + "; the cache changes the shape but does not take the swing away" + p;
    else if (cached->p_value > level) {
        out.words = swings + "; the swing goes away with the cache" + p +
                    ": it comes from what the cache removes, reading the proc array";
        out.cache_removes_swing = true;
    } else
        out.words = swings + "; the swing shrinks with the cache and does not go away" + p;
}

} // namespace

std::vector<CurveComparison> compare_curves(const std::vector<CurveAnalysis>& curves) {
    std::vector<CurveComparison> out;
    each_pair(curves, [&](const Curve& base, const Curve& other, std::size_t key, const std::string&) {
        CurveComparison next = compare_two(base, other, key);
        if (!next.points.empty())
            out.push_back(std::move(next));
    });
    return out;
}

std::vector<NaturalExperiment> natural_experiments(const std::vector<CurveAnalysis>& curves) {
    std::vector<NaturalExperiment> out;
    each_pair(curves, [&](const Curve& base, const Curve& other, std::size_t key, const std::string& name) {
        if (name != "mode" || base.keys[key].second != "off")
            return;
        const auto points = common_points(base, other);
        if (points.size() < 3)
            return;
        NaturalExperiment next;
        next.base = base.keys[key].second;
        next.cached = other.keys[key].second;
        next.group = shared_keys(base, key);
        next.points = points.size();
        next.swing_base = swing_of(points, false);
        next.swing_cached = swing_of(points, true);
        next.interaction_p = interaction_p(points);
        judge(next, analysis_of(curves, base).variance, analysis_of(curves, other).variance);
        out.push_back(std::move(next));
    });
    return out;
}

} // namespace snapscope
