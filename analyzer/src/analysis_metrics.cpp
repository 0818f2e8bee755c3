// Metrics beside tps: with tps across points, and from the first x to the last.
#include "analysis_parts.hpp"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <fmt/format.h>
#include <set>

namespace snapscope {
namespace {

constexpr double constant_within = 0.02; // a product or ratio that varies by less is the same figure again

bool is_rate(const std::string& name) {
    constexpr std::array<std::string_view, 3> endings{"_per_second", "_per_s", "_per_sec"};
    return std::any_of(endings.begin(), endings.end(), [&](std::string_view end) { return name.ends_with(end); });
}

// Standard deviation of logarithms, infinity where one is not above 0.
double log_spread(const std::vector<double>& values) {
    std::vector<double> logs;
    for (const double value : values) {
        if (!(value > 0))
            return INFINITY;
        logs.push_back(std::log(value));
    }
    const double centre = mean(logs).value_or(0);
    double squares = 0;
    for (const double value : logs)
        squares += (value - centre) * (value - centre);
    return std::sqrt(squares / std::max(1.0, static_cast<double>(logs.size()) - 1));
}

struct Columns {
    std::vector<double> x, tps, metric;
};

Columns columns_of(const Curve& curve, const std::string& name) {
    Columns out;
    for (const CurvePoint* point : curve.measured()) {
        const auto at = point->metrics.find(name);
        if (at == point->metrics.end())
            continue;
        out.x.push_back(point->x);
        out.tps.push_back(*point->level());
        out.metric.push_back(at->second);
    }
    return out;
}

// A latency is clients over tps, a count of transactions tps times seconds:
// such a metric goes with tps whatever the reason.
std::string construction(const Columns& c) {
    std::vector<double> product;
    std::vector<double> per_x;
    std::vector<double> ratio;
    for (std::size_t i = 0; i < c.tps.size(); ++i) {
        product.push_back(c.metric[i] * c.tps[i]);
        per_x.push_back(c.metric[i] * c.tps[i] / c.x[i]);
        ratio.push_back(c.metric[i] / c.tps[i]);
    }
    const double limit = std::min(constant_within, log_spread(c.tps) / 2); // tps itself may hardly vary
    if (log_spread(product) < limit || log_spread(per_x) < limit)
        return "it is clients over tps (Little's law), so it must move with tps";
    if (log_spread(ratio) < limit)
        return "it is tps times a constant, so it must move with tps";
    return "";
}

// Student's t of a partial correlation with one variable held fixed.
std::optional<double> partial_p(std::optional<double> rho, std::size_t n) {
    if (!rho || n < 5)
        return std::nullopt;
    const double df = static_cast<double>(n) - 3;
    if (std::fabs(*rho) >= 1)
        return 0;
    const double t = std::fabs(*rho) * std::sqrt(df / (1 - *rho * *rho));
    return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(df), t));
}

std::set<std::string> metric_names(const Curve& curve) {
    std::set<std::string> out;
    for (const CurvePoint& point : curve.points)
        for (const auto& [name, value] : point.metrics)
            out.insert(name);
    return out;
}

std::string kind_of(const Sweep& sweep, const std::string& metric) {
    const auto at = sweep.kinds.find(metric);
    return at == sweep.kinds.end() ? "table" : at->second;
}

} // namespace

std::vector<Association> associations_of(const Sweep& sweep, const std::vector<CurveAnalysis>& curves) {
    std::vector<Association> out;
    for (const CurveAnalysis& one : curves) {
        for (const std::string& name : metric_names(one.curve)) {
            Columns columns = columns_of(one.curve, name);
            Association next;
            next.metric = name;
            next.kind = kind_of(sweep, name);
            next.group = one.curve.name();
            next.by_construction = construction(columns);
            next.per_transaction = is_rate(name);
            if (next.per_transaction)
                for (std::size_t i = 0; i < columns.metric.size(); ++i)
                    columns.metric[i] /= columns.tps[i];
            const auto found = correlate(columns.metric, columns.tps);
            if (!found)
                continue;
            next.correlation = *found;
            next.partial_rho = partial_spearman(columns.metric, columns.tps, columns.x);
            next.partial_p_value = partial_p(next.partial_rho, found->n);
            out.push_back(std::move(next));
        }
    }
    std::vector<double> p_values;
    p_values.reserve(out.size());
    for (const Association& association : out)
        p_values.push_back(association.correlation.p_value);
    const std::vector<double> corrected = holm(p_values);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i].p_holm = corrected[i];
    std::stable_sort(out.begin(), out.end(), [](const Association& a, const Association& b) {
        return std::fabs(a.correlation.rho) > std::fabs(b.correlation.rho);
    });
    return out;
}

std::vector<MetricTrend> trends_of(const Sweep& sweep, const std::vector<CurveAnalysis>& curves) {
    std::vector<MetricTrend> out;
    for (const CurveAnalysis& one : curves) {
        for (const std::string& name : metric_names(one.curve)) {
            const Columns columns = columns_of(one.curve, name);
            std::vector<const CurvePoint*> points;
            for (const CurvePoint* point : one.curve.measured())
                if (point->metrics.contains(name))
                    points.push_back(point);
            if (points.size() < 2)
                continue;
            MetricTrend next{name, kind_of(sweep, name), one.curve.name(), points.front()->x, points.back()->x, {}, {}};
            if (points.size() >= min_association_points)
                next.rho = spearman(columns.x, columns.metric);
            next.change =
                compare_unpaired(points.front()->metric_values.at(name), points.back()->metric_values.at(name));
            out.push_back(std::move(next));
        }
    }
    return out;
}

} // namespace snapscope
