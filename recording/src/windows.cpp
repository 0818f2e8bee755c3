#include <snapscope/recording/gauges.hpp>
#include <snapscope/recording/windows.hpp>

#include <algorithm>
#include <cmath>

namespace snapscope {
namespace {

constexpr double beyond_any_counter = 0x1p62;

std::optional<double> total_of(const Series& series) {
    const bool most = series.name.ends_with("_age");
    std::optional<double> out;
    for (const auto& value : series.values) {
        if (!value)
            continue;
        if (most)
            out = std::max(out.value_or(*value), *value);
        else
            out = out.value_or(0) + *value;
    }
    return out;
}

} // namespace

void append_row(Windows& windows, const WindowRow& row) {
    windows.start_ns.push_back(row.start_ns);
    windows.end_ns.push_back(row.end_ns);
    for (std::size_t i = 0; i < windows.series.size(); ++i)
        windows.series[i].values.push_back(row.values[i]);
}

void add_totals_of_windows(Run& run) {
    for (const Series& series : run.windows.series) {
        const auto same = [&](const Total& total) {
            return total.name == series.name && total.source == series.source;
        };
        const bool has_total = !is_gauge(series.name) || series.name.ends_with("_age");
        if (!has_total || std::any_of(run.totals.begin(), run.totals.end(), same))
            continue;
        std::optional<std::int64_t> value;
        if (const auto sum = total_of(series); sum && std::abs(*sum) < beyond_any_counter)
            value = std::llround(*sum);
        run.totals.push_back({series.name, series.source, series.unit, value});
    }
}

} // namespace snapscope
