#include "queries.hpp"

#include <snapscope/analyzer/statistics.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/fleet/outliers.hpp>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace snapscope {
namespace {

constexpr double normal_mad = 1.4826;     // standard deviation of a normal sample over its median absolute deviation
constexpr double mad_efficiency = 0.37;   // of that estimate (Huber, Robust Statistics, 5.1): degrees of freedom a host
constexpr double median_variance = 1.571; // pi / 2: of a median over that of a mean
constexpr double least_spread = 0.005;    // of logarithms: hosts that agree to half a percent are alike
// Of pairs of hosts: more do not make the line better and take long.
constexpr std::size_t most_slopes = 2'000'000;

struct HostRuns {
    std::string host;
    std::vector<double> connections, values;
};
struct Group {
    OutlierGroup out;
    std::vector<HostRuns> hosts;
};

struct HostPoint {
    double connections = 0, value = 0;
    double within = 0; // standard deviation of the logarithms of its runs
    std::size_t runs = 0;
};

double spread_of(std::vector<double> values) {
    const double centre = *median(values);
    for (double& value : values)
        value = std::abs(value - centre);
    return normal_mad * *median(values);
}

Result<std::vector<Group>> read_groups(LakeReader& lake) {
    const auto rows = lake.select(fmt::format("SELECT metric, source, mode, host, connections, value FROM ({}) t "
                                              "WHERE connections IS NOT NULL ORDER BY metric, source, mode, host",
                                              outliers_sql));
    if (!rows)
        return fail(rows.error());
    std::vector<Group> groups;
    for (const auto& row : rows->rows) {
        const auto text = [&](std::size_t field) { return row.at(field).value_or(""); };
        const auto connections = parse_double(text(4)), value = parse_double(text(5));
        if (!connections || !value)
            continue;
        const auto same_group = [&](const OutlierGroup& out) {
            return out.metric == text(0) && out.source == text(1) && out.mode == text(2);
        };
        if (groups.empty() || !same_group(groups.back().out)) {
            groups.emplace_back();
            groups.back().out.metric = text(0);
            groups.back().out.source = text(1);
            groups.back().out.mode = text(2);
        }
        auto& hosts = groups.back().hosts;
        if (hosts.empty() || hosts.back().host != text(3))
            hosts.push_back({text(3), {}, {}});
        hosts.back().connections.push_back(*connections);
        hosts.back().values.push_back(*value);
    }
    return groups;
}

std::vector<HostPoint> points_of(const std::vector<HostRuns>& hosts) {
    std::vector<HostPoint> points;
    for (const HostRuns& host : hosts) {
        std::vector<double> logs;
        for (const double value : host.values)
            logs.push_back(std::log(value));
        points.push_back({*median(host.connections), *median(host.values), spread_of(logs), host.values.size()});
    }
    return points;
}

// Median of the slopes between pairs of hosts, then of what is left.
void fit(const std::vector<HostPoint>& points, OutlierGroup& group) {
    const std::size_t pairs = points.size() * (points.size() - 1) / 2;
    const std::size_t step = pairs / most_slopes + 1;
    std::vector<double> slopes;
    std::size_t pair = 0;
    for (std::size_t i = 0; i < points.size(); ++i)
        for (std::size_t j = i + 1; j < points.size(); ++j)
            if (const double apart = points[j].connections - points[i].connections; pair++ % step == 0 && apart != 0)
                slopes.push_back((points[j].value - points[i].value) / apart);
    group.each = median(slopes).value_or(0);
    std::vector<double> rests;
    for (const HostPoint& point : points)
        rests.push_back(point.value - group.each * point.connections);
    group.at_none = *median(rests);
}

// A line below zero at a host's connections expects nothing there; the least value stands for it.
double expected_at(const OutlierGroup& group, const std::vector<HostPoint>& points, double connections) {
    const double line = group.at_none + group.each * connections;
    if (line > 0)
        return line;
    double least = points.front().value;
    for (const HostPoint& point : points)
        least = std::min(least, point.value);
    return least;
}

void judge(Group& group, std::size_t tests) {
    const std::vector<HostPoint> points = points_of(group.hosts);
    OutlierGroup& out = group.out;
    fit(points, out);
    std::vector<double> residuals, runs, within;
    for (const HostPoint& point : points) {
        residuals.push_back(std::log(point.value / expected_at(out, points, point.connections)));
        runs.push_back(static_cast<double>(point.runs));
        if (point.runs > 1)
            within.push_back(point.within);
    }
    const double centre = *median(residuals);
    out.spread = std::max(least_spread, spread_of(residuals));
    const double freedom = std::max(1.0, mad_efficiency * static_cast<double>(points.size()));
    out.limit = boost::math::quantile(
        boost::math::complement(boost::math::students_t(freedom), outlier_alpha / 2 / static_cast<double>(tests)));
    // A host with fewer runs than is usual has a median that varies more.
    const double usual_runs = *median(runs), run_spread = median(within).value_or(0);
    for (std::size_t i = 0; i < points.size(); ++i) {
        const double more = median_variance * run_spread * run_spread * (1 / runs[i] - 1 / usual_runs);
        const double spread = std::sqrt(out.spread * out.spread + std::max(0.0, more));
        const double score = (residuals[i] - centre) / spread;
        if (std::abs(score) > out.limit)
            out.outliers.push_back({group.hosts[i].host, points[i].connections, points[i].value,
                                    expected_at(out, points, points[i].connections) * std::exp(centre), score,
                                    points[i].runs});
    }
    std::sort(out.outliers.begin(), out.outliers.end(),
              [](const Outlier& a, const Outlier& b) { return std::abs(a.score) > std::abs(b.score); });
}

} // namespace

Result<std::vector<OutlierGroup>> outliers(LakeReader& lake) {
    auto groups = read_groups(lake);
    if (!groups)
        return fail(groups.error());
    std::size_t tests = 0;
    for (Group& group : *groups) {
        group.out.hosts = group.hosts.size();
        group.out.judged = group.hosts.size() >= least_hosts;
        tests += group.out.judged ? group.hosts.size() : 0;
    }
    std::vector<OutlierGroup> out;
    for (Group& group : *groups) {
        if (group.out.judged)
            judge(group, tests);
        out.push_back(std::move(group.out));
    }
    return out;
}

} // namespace snapscope
