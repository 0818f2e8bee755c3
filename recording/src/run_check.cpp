#include "run_check.hpp"

#include <snapscope/recording/wall_clock.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <functional>
#include <limits>
#include <string_view>
#include <unordered_set>

namespace snapscope::run_json {
namespace {

using Names = std::unordered_set<std::string_view>;

bool is_hex_id(std::string_view text) {
    return text.size() == 32 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

bool is_snake_case(std::string_view text) {
    return !text.empty() && text.front() >= 'a' && text.front() <= 'z' &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
}

// Applies `check` to each item and says which one is wrong.
template <class T, class F> Check each(const char* key, const std::vector<T>& items, F check) {
    for (std::size_t i = 0; i < items.size(); ++i)
        if (Check found = check(items[i]))
            return under(key, under(std::to_string(i), std::move(found)));
    return std::nullopt;
}

Check check_name(std::string_view name) {
    if (!is_snake_case(name))
        return under("name", problem(fmt::format("expected snake_case, got \"{}\"", name)));
    return std::nullopt;
}

Check check_source_status(const SourceStatus& source) {
    if (Check found = check_name(source.name))
        return found;
    if (source.state == SourceState::available)
        return under("state", problem("\"available\" is no state of a run: active, degraded or unavailable"));
    if (source.state != SourceState::active && source.reason.empty())
        return under("reason", problem("a source that is not active needs a reason"));
    return each("losses", source.losses, [](const NamedCount& loss) { return check_name(loss.name); });
}

Check check_source_rows(const std::vector<SourceStatus>& sources, Names& names) {
    return each("sources", sources, [&](const SourceStatus& source) -> Check {
        if (Check found = check_source_status(source))
            return found;
        if (!names.insert(source.name).second)
            return under("name", problem(fmt::format("\"{}\" has two rows", source.name)));
        return std::nullopt;
    });
}

// A number's own name, and the source that it belongs to.
template <class T> Check check_number(const T& item, const Names& sources) {
    if (Check found = check_name(item.name))
        return found;
    if (!sources.contains(item.source))
        return under("source", problem(fmt::format("no row of sources is named \"{}\"", item.source)));
    return std::nullopt;
}

Check check_windows(const Windows& windows, const Names& sources) {
    const std::size_t rows = windows.start_ns.size();
    if (windows.end_ns.size() != rows)
        return under("end_ns", problem(fmt::format("{} values for {} windows", windows.end_ns.size(), rows)));
    for (std::size_t i = 0; i < rows; ++i)
        if (windows.end_ns[i] < windows.start_ns[i])
            return under("end_ns", under(std::to_string(i), problem("the window ends before it starts")));
    return each("series", windows.series, [&](const Series& series) -> Check {
        if (Check found = check_number(series, sources))
            return found;
        if (series.values.size() != rows)
            return under("values", problem(fmt::format("{} values for {} windows", series.values.size(), rows)));
        return std::nullopt;
    });
}

Check check_histogram(const Histogram& histogram, const Names& sources) {
    if (Check found = check_number(histogram, sources))
        return found;
    if (histogram.bounds.size() != histogram.counts.size() + 1)
        return under("counts", problem(fmt::format("{} counts need {} bounds, got {}", histogram.counts.size(),
                                                   histogram.counts.size() + 1, histogram.bounds.size())));
    if (std::ranges::adjacent_find(histogram.bounds, std::greater_equal<>{}) != histogram.bounds.end())
        return under("bounds", problem("bounds must grow"));
    return std::nullopt;
}

Check check_matrix(const Matrix& matrix, const Names& sources) {
    if (Check found = check_number(matrix, sources))
        return found;
    const std::size_t cells = matrix.readers.size() * matrix.writers.size();
    if (matrix.counts.size() != cells)
        return under("counts", problem(fmt::format("{} values for {} cells", matrix.counts.size(), cells)));
    return std::nullopt;
}

Check check_slot(const Slot& slot, const Names& sources) {
    return each("samples", slot.samples, [&](const SlotSamples& samples) -> Check {
        if (!sources.contains(samples.source))
            return under("source", problem(fmt::format("no row of sources is named \"{}\"", samples.source)));
        return std::nullopt;
    });
}

Check check_clock(const Clock& clock, bool finished) {
    if (!parse_wall_time(clock.wall_start))
        return under("wall_start", problem(fmt::format("expected RFC 3339 in UTC, got \"{}\"", clock.wall_start)));
    if (finished && clock.end_ns < clock.start_ns)
        return under("end_ns", problem("the run ends before it starts"));
    return std::nullopt;
}

// In order, and none within another.
Check check_gaps(const std::vector<Gap>& gaps) {
    std::int64_t before_ns = std::numeric_limits<std::int64_t>::min();
    return each("gaps", gaps, [&](const Gap& gap) -> Check {
        if (gap.end_ns < gap.begin_ns)
            return under("end_ns", problem("the gap ends before it begins"));
        if (gap.begin_ns < before_ns)
            return under("begin_ns", problem("the gap begins before the one before has ended"));
        before_ns = gap.end_ns;
        return gap.reason.empty() ? under("reason", problem("a gap needs a reason")) : Check{};
    });
}

} // namespace

Check check_run(const Run& run) {
    if (!is_hex_id(run.id))
        return under("id", problem(fmt::format("expected 32 lower-case hex digits, got \"{}\"", run.id)));
    if (Check found = check_clock(run.clock, run.finished))
        return under("clock", std::move(found));
    Names sources;
    if (Check found = check_source_rows(run.sources, sources))
        return found;
    if (Check found = each("totals", run.totals, [&](const Total& item) { return check_number(item, sources); }))
        return found;
    if (Check found = check_windows(run.windows, sources))
        return under("windows", std::move(found));
    const auto histogram = [&](const Histogram& item) { return check_histogram(item, sources); };
    if (Check found = each("histograms", run.histograms, histogram))
        return found;
    if (Check found = each("matrices", run.matrices, [&](const Matrix& item) { return check_matrix(item, sources); }))
        return found;
    if (Check found = check_gaps(run.gaps))
        return found;
    return each("slots", run.slots, [&](const Slot& item) { return check_slot(item, sources); });
}

} // namespace snapscope::run_json
