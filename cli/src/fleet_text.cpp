#include "fleet_text.hpp"

#include <snapscope/base/numbers.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

constexpr int digits = 4;

bool is_number(const std::string& type) {
    constexpr std::array numeric{"TINYINT",   "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT",
                                 "USMALLINT", "UINTEGER", "UBIGINT", "FLOAT",  "DOUBLE",  "UHUGEINT"};
    return type.starts_with("DECIMAL") || std::find(numeric.begin(), numeric.end(), type) != numeric.end();
}

nlohmann::json value_json(const std::optional<std::string>& value, const std::string& type) {
    if (!value)
        return nullptr;
    if (type == "BOOLEAN")
        return *value == "true";
    if (!is_number(type))
        return *value;
    // An integer beyond 64 bits, infinity: their text says more than a rounded number.
    if (const auto whole = parse_integer<std::int64_t>(*value))
        return *whole;
    if (const auto whole = parse_integer<std::uint64_t>(*value))
        return *whole;
    const auto real = parse_double(*value);
    return real && type != "HUGEINT" && type != "UHUGEINT" ? nlohmann::json(*real) : nlohmann::json(*value);
}

template <typename T> nlohmann::json or_null(const std::optional<T>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

// Seconds are enough of a time for people.
std::string short_time(const std::string& time) {
    return time.substr(0, time.find('.'));
}

std::string change_text(double before, double after) {
    return fmt::format("{:+.1f} %", 100 * (after / before - 1));
}

// Of a chance, only its size is of interest.
std::string p_text(double p) {
    return p < 0.001 ? "< 0.001" : fmt::format("{:.3f}", p);
}

} // namespace

Table query_table(const LakeRows& rows) {
    std::vector<Table::Column> columns;
    for (std::size_t i = 0; i < rows.names.size(); ++i)
        columns.push_back({rows.names[i], is_number(rows.types[i]) ? Table::Align::right : Table::Align::left});
    Table table(columns);
    for (const auto& row : rows.rows) {
        std::vector<std::string> cells;
        for (const auto& value : row)
            cells.push_back(value.value_or(""));
        table.add(std::move(cells));
    }
    return table;
}

nlohmann::json query_json(const LakeRows& rows) {
    auto out = nlohmann::json::array();
    for (const auto& row : rows.rows) {
        auto object = nlohmann::json::object();
        for (std::size_t i = 0; i < row.size(); ++i)
            object[rows.names[i]] = value_json(row[i], rows.types[i]);
        out.push_back(std::move(object));
    }
    return {{"schema_version", 1}, {"rows", std::move(out)}};
}

Table trend_table(const Trend& trend, bool all) {
    using Align = Table::Align;
    Table table({{"host"},
                 {"mode"},
                 {"max_connections", Align::right},
                 {"clients", Align::right},
                 {"source"},
                 {"from"},
                 {"to"},
                 {"runs", Align::right},
                 {"median " + trend.metric, Align::right},
                 {"change", Align::right},
                 {"p", Align::right}});
    for (const TrendSeries& series : trend.series) {
        if (series.levels.size() < 2 && !all)
            continue;
        for (std::size_t i = 0; i < series.levels.size(); ++i) {
            const TrendLevel& level = series.levels[i];
            table.add({series.host, series.mode, series.max_connections.value_or(""), series.clients.value_or(""),
                       series.source, short_time(level.from), short_time(level.to), std::to_string(level.runs),
                       number(level.median, digits),
                       i == 0 ? "" : change_text(series.levels[i - 1].median, level.median),
                       i == 0 ? p_text(series.p_value) : ""});
        }
    }
    return table;
}

nlohmann::json trend_json(const Trend& trend) {
    auto out = nlohmann::json::array();
    for (const TrendSeries& series : trend.series) {
        auto levels = nlohmann::json::array();
        for (const TrendLevel& level : series.levels)
            levels.push_back({{"from", level.from}, {"to", level.to}, {"runs", level.runs}, {"median", level.median}});
        out.push_back({{"host", series.host},
                       {"mode", series.mode},
                       {"source", series.source},
                       {"max_connections", or_null(series.max_connections)},
                       {"clients", or_null(series.clients)},
                       {"p_value", series.p_value},
                       {"changed", series.levels.size() > 1},
                       {"levels", std::move(levels)}});
    }
    return {{"schema_version", 1}, {"metric", trend.metric},       {"unit", trend.unit},
            {"runs", trend.runs},  {"too_short", trend.too_short}, {"series", std::move(out)}};
}

std::string trend_text(const Trend& trend, bool all, const Terminal& terminal) {
    const auto changed = std::count_if(trend.series.begin(), trend.series.end(),
                                       [](const TrendSeries& series) { return series.levels.size() > 1; });
    std::string out = fmt::format("{}{}: {} runs, {} series, {} changed their level (all together wrong in at most "
                                  "{:g} % of lakes without any change)\n",
                                  trend.metric, trend.unit.empty() ? "" : ", " + trend.unit, trend.runs,
                                  trend.series.size(), changed, 100 * trend_alpha);
    if (trend.too_short > 0)
        out += fmt::format("{} series have fewer than six runs and were not judged\n", trend.too_short);
    const Table table = trend_table(trend, all);
    return table.empty() ? out : out + "\n" + table.text(terminal);
}

Table outliers_table(const std::vector<OutlierGroup>& groups) {
    using Align = Table::Align;
    Table table({{"metric"},
                 {"source"},
                 {"mode"},
                 {"host"},
                 {"runs", Align::right},
                 {"connections", Align::right},
                 {"value", Align::right},
                 {"expected", Align::right},
                 {"difference", Align::right},
                 {"score", Align::right}});
    for (const OutlierGroup& group : groups)
        for (const Outlier& outlier : group.outliers)
            table.add({group.metric, group.source, group.mode, outlier.host, std::to_string(outlier.runs),
                       number(outlier.connections, digits), number(outlier.value, digits),
                       number(outlier.expected, digits), change_text(outlier.expected, outlier.value),
                       fmt::format("{:+.1f}", outlier.score)});
    return table;
}

nlohmann::json outliers_json(const std::vector<OutlierGroup>& groups) {
    auto out = nlohmann::json::array();
    for (const OutlierGroup& group : groups) {
        auto hosts = nlohmann::json::array();
        for (const Outlier& outlier : group.outliers)
            hosts.push_back({{"host", outlier.host},
                             {"runs", outlier.runs},
                             {"connections", outlier.connections},
                             {"value", outlier.value},
                             {"expected", outlier.expected},
                             {"score", outlier.score}});
        const auto fitted = [&](double value) { return group.judged ? nlohmann::json(value) : nlohmann::json(); };
        out.push_back({{"metric", group.metric},
                       {"source", group.source},
                       {"mode", group.mode},
                       {"hosts", group.hosts},
                       {"judged", group.judged},
                       {"at_no_connection", fitted(group.at_none)},
                       {"per_connection", fitted(group.each)},
                       {"spread", fitted(group.spread)},
                       {"limit", fitted(group.limit)},
                       {"outliers", std::move(hosts)}});
    }
    return {{"schema_version", 1}, {"groups", std::move(out)}};
}

std::string outliers_text(const std::vector<OutlierGroup>& groups, const Terminal& terminal) {
    std::string out;
    for (const OutlierGroup& group : groups) {
        out += fmt::format("{} ({}), mode {}: {} hosts", group.metric, group.source, group.mode, group.hosts);
        out += group.judged ? fmt::format(", usual {} + {} a connection, hosts within {:.1f} %, {} do not fit\n",
                                          number(group.at_none, digits), number(group.each, digits),
                                          100 * (std::exp(group.spread) - 1), group.outliers.size())
                            : fmt::format(", not judged: fewer than {}\n", least_hosts);
    }
    if (groups.empty())
        out = "no run says what a snapshot cost, and with how many connections\n";
    const Table table = outliers_table(groups);
    return table.empty() ? out : out + "\n" + table.text(terminal);
}

} // namespace snapscope::cli
