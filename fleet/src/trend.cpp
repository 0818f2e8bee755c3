#include "change_test.hpp"
#include "database.hpp"
#include "queries.hpp"

#include <snapscope/analyzer/changepoints.hpp>
#include <snapscope/analyzer/statistics.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/fleet/trend.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>
#include <tuple>

namespace snapscope {
namespace {

constexpr std::size_t least_runs = 6;
constexpr double least_noise = 1e-3; // of a logarithm: 0.1 %

struct Points {
    TrendSeries series;
    std::vector<std::string> times;
    std::vector<double> values;
    ChangeTest test;
};

// Columns of the query, in the order in which it is asked here.
enum Field { host, mode, max_connections, clients, source, unit, time, value };

Result<std::vector<Points>> read_points(LakeReader& lake, const TrendOptions& options, std::string& unit_of_all) {
    std::string where = "metric = " + sql_literal(options.metric);
    if (options.host)
        where += " AND host = " + sql_literal(*options.host);
    if (options.mode)
        where += " AND mode = " + sql_literal(*options.mode);
    const auto rows = lake.select(
        fmt::format("SELECT host, mode, max_connections, clients, source, unit, start_time, value FROM ({}) t WHERE {} "
                    "ORDER BY host, mode, max_connections, clients, source, start_time",
                    trend_sql, where));
    if (!rows)
        return fail(rows.error());
    std::vector<Points> all;
    for (const auto& row : rows->rows) {
        const auto text = [&](Field field) { return row.at(field).value_or(""); };
        const auto number = parse_double(text(value));
        if (!number)
            continue;
        TrendSeries key{text(host), text(mode), text(source), row.at(max_connections), row.at(clients), 1, {}};
        const auto words = [](const TrendSeries& series) {
            return std::tie(series.host, series.mode, series.source, series.max_connections, series.clients);
        };
        if (all.empty() || words(all.back().series) != words(key))
            all.push_back({std::move(key), {}, {}, {}});
        all.back().times.push_back(text(time));
        all.back().values.push_back(*number);
        unit_of_all = text(unit);
    }
    return all;
}

// Holm: the i-th smallest of n is multiplied by n - i, and none is below the one before.
void adjust(std::vector<Points>& all) {
    std::vector<std::size_t> order(all.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(),
              [&](std::size_t a, std::size_t b) { return all[a].test.p_value < all[b].test.p_value; });
    double before = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const double p = all[order[i]].test.p_value * static_cast<double>(order.size() - i);
        before = std::min(1.0, std::max(before, p));
        all[order[i]].series.p_value = before;
    }
}

void add_levels(Points& points) {
    std::vector<std::size_t> ends{points.values.size()};
    if (points.series.p_value <= trend_alpha) {
        std::vector<double> logs;
        for (const double value : points.values)
            logs.push_back(std::log(value));
        ends = segment(logs, least_noise).ends;
        if (ends.size() == 1) // the ranks show a change, squares do not place it
            ends = {points.test.first, points.values.size()};
    }
    std::size_t begin = 0;
    for (const std::size_t end : ends) {
        const std::span<const double> values(points.values.data() + begin, end - begin);
        points.series.levels.push_back({points.times[begin], points.times[end - 1], end - begin, *median(values)});
        begin = end;
    }
}

} // namespace

Result<Trend> trend(LakeReader& lake, const TrendOptions& options) {
    Trend out;
    out.metric = options.metric;
    auto all = read_points(lake, options, out.unit);
    if (!all)
        return fail(all.error());
    std::vector<Points> judged;
    for (Points& points : *all) {
        out.runs += points.values.size();
        if (points.values.size() < least_runs) {
            ++out.too_short;
            continue;
        }
        points.test = change_test(points.values);
        judged.push_back(std::move(points));
    }
    adjust(judged);
    for (Points& points : judged) {
        add_levels(points);
        out.series.push_back(std::move(points.series));
    }
    std::stable_sort(out.series.begin(), out.series.end(), [](const TrendSeries& a, const TrendSeries& b) {
        const bool changed_a = a.levels.size() > 1, changed_b = b.levels.size() > 1;
        return std::make_tuple(!changed_a, a.p_value) < std::make_tuple(!changed_b, b.p_value);
    });
    return out;
}

} // namespace snapscope
