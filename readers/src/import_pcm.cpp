// pcm's rows as windows: bytes and counts an interval, gaps as null.
#include "import_parts.hpp"

#include <snapscope/readers/pcm.hpp>
#include <snapscope/recording/wall_clock.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace snapscope {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr double largest_total = 0x1p62;
constexpr std::size_t named = 8;

// Median time between rows that follow each other; 1 s where no two tell.
std::int64_t interval_of(const PcmRecording& recording) {
    std::vector<std::int64_t> gaps;
    for (std::size_t i = 1; i < recording.rows(); ++i)
        if (recording.time_ns[i] && recording.time_ns[i - 1] && *recording.time_ns[i] > *recording.time_ns[i - 1])
            gaps.push_back(*recording.time_ns[i] - *recording.time_ns[i - 1]);
    if (gaps.empty())
        return second_ns;
    const auto middle = gaps.begin() + static_cast<std::ptrdiff_t>(gaps.size() / 2);
    std::nth_element(gaps.begin(), middle, gaps.end());
    return *middle;
}

// Row i covers the time since row i - 1; the first one an interval.
void add_windows(const PcmRecording& recording, Run& run) {
    const std::int64_t interval = interval_of(recording);
    std::optional<std::int64_t> first; // start of the first row, since 1970
    for (std::size_t i = 0; i < recording.rows() && !first; ++i)
        if (recording.time_ns[i])
            first = *recording.time_ns[i] - static_cast<std::int64_t>(i + 1) * interval;
    std::size_t backwards = 0;
    std::int64_t last = 0;
    for (const auto& time : recording.time_ns) {
        std::int64_t end = time && first ? *time - *first : last + interval;
        if (end <= last) {
            ++backwards;
            end = last + interval;
        }
        run.windows.start_ns.push_back(last);
        run.windows.end_ns.push_back(end);
        last = end;
    }
    run.clock.end_ns = last;
    if (first && *first >= 0) {
        run.clock.wall_start = format_wall_time(*first);
        run.warnings.emplace_back("pcm writes its machine's local time; it stands here as if it were UTC");
    }
    if (backwards > 0)
        run.warnings.push_back(fmt::format("{} rows go back in time: one interval is taken for each", backwards));
}

// A sum that has all its parts.
std::optional<std::int64_t> sum_of(const PcmSeries& series) {
    double sum = 0;
    for (const auto& value : series.values) {
        if (!value)
            return std::nullopt;
        sum += *value;
    }
    return sum < largest_total ? std::optional(std::llround(sum)) : std::nullopt;
}

void note_ignored(std::vector<std::string> ignored, std::vector<std::string>& warnings) {
    if (ignored.empty())
        return;
    const std::size_t count = ignored.size();
    ignored.resize(std::min(count, named));
    warnings.push_back(fmt::format("{} of pcm's columns are not taken: {}{}", count, fmt::join(ignored, ", "),
                                   count > named ? ", ..." : ""));
}

} // namespace

Result<Imported> import_pcm(std::string_view text, const ImportOptions& options) {
    const auto recording = read_pcm(text, options.label);
    if (!recording)
        return fail(recording.error());
    Imported out = new_import(options);
    Run& run = out.run;
    add_windows(*recording, run);
    SourceStatus source{"pcm", EvidenceKind::measured, SourceState::active, "", "",
                        0,     run.clock.end_ns,       recording->rows(),   0,  {}};
    if (recording->gaps > 0 || recording->rows_lost > 0) {
        source.state = SourceState::degraded;
        source.reason =
            fmt::format("{} cells hold no count, {} rows could not be used", recording->gaps, recording->rows_lost);
        source.lost = recording->rows_lost;
        if (recording->rows_lost > 0)
            source.losses = {{"rows_unusable", recording->rows_lost}};
    }
    run.sources.push_back(std::move(source));
    for (const PcmSeries& series : recording->series) {
        run.windows.series.push_back({series.name, "pcm", series.unit, series.values});
        if (series.unit == "bytes" || series.unit == "1")
            run.totals.push_back({series.name, "pcm", series.unit, sum_of(series)});
    }
    run.warnings.insert(run.warnings.end(), recording->notes.begin(), recording->notes.end());
    note_ignored(recording->ignored, run.warnings);
    out.partial = recording->gaps > 0 || recording->rows_lost > 0;
    return out;
}

} // namespace snapscope
