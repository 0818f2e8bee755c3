#include "pcm_parts.hpp"

#include <snapscope/base/number_cell.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope {
namespace {

constexpr std::size_t named = 6; // columns in one note

// A counter that reads 0 in every row is either idle or not counted here.
void note_zeros(PcmRecording& recording) {
    std::vector<std::string> zeros;
    for (const PcmSeries& series : recording.series) {
        const auto is_zero = [](const std::optional<double>& value) { return value && *value == 0; };
        if (!series.values.empty() && std::all_of(series.values.begin(), series.values.end(), is_zero))
            zeros.push_back(series.column);
    }
    if (zeros.empty())
        return;
    const std::size_t count = zeros.size();
    zeros.resize(std::min(count, named));
    recording.notes.push_back(fmt::format("{}{} read 0 throughout: unused, or not counted by this driver or BIOS",
                                          fmt::join(zeros, ", "), count > named ? ", ..." : ""));
}

// From its first gap on that no count follows, a counter is silent.
void note_silence(PcmRecording& recording) {
    for (const PcmSeries& series : recording.series) {
        std::size_t last = series.values.size();
        while (last > 0 && !series.values[last - 1])
            --last;
        if (last == series.values.size())
            continue;
        recording.notes.push_back(last == 0 ? series.column + " holds no count at all"
                                            : fmt::format("{} is silent from row {} of {} on", series.column, last + 1,
                                                          series.values.size()));
    }
}

} // namespace

PcmLines::PcmLines(std::string_view text) : rest_(text) {
    if (rest_.starts_with("\xef\xbb\xbf"))
        rest_.remove_prefix(3);
}

std::optional<PcmLine> PcmLines::next() {
    if (rest_.empty())
        return std::nullopt;
    const auto end = rest_.find('\n');
    PcmLine line{rest_.substr(0, end), ++number_, end != std::string_view::npos};
    rest_.remove_prefix(line.ended ? end + 1 : rest_.size());
    if (line.text.ends_with('\r'))
        line.text.remove_suffix(1);
    return line;
}

std::optional<double> pcm_screen_number(std::string_view text) {
    text = trim(text);
    double unit = 1;
    for (const auto& [suffix, factor] : {std::pair{'K', 1e3}, {'M', 1e6}, {'G', 1e9}, {'T', 1e12}})
        if (text.ends_with(suffix)) {
            unit = factor;
            text = trim(text.substr(0, text.size() - 1));
            break;
        }
    const NumberCell cell = read_number(text);
    return cell.is_number() && cell.value >= 0 ? std::optional(cell.value * unit) : std::nullopt;
}

Result<PcmRecording> read_pcm(std::string_view text, const std::string& label) {
    for (const auto& read : {read_pcm_csv, read_pcm_screen, read_pcm_link_table}) {
        auto found = read(text, label);
        if (!found)
            continue;
        if (!*found)
            return fail(found->error());
        PcmRecording& recording = **found;
        if (recording.series.empty())
            return fail(label + ": pcm's output holds no counter that is understood",
                        "record with 'pcm -csv' on a machine whose links or memory it counts");
        if (recording.rows() == 0)
            return fail(label + ": pcm's output holds a header and no whole row", "record longer");
        note_zeros(recording);
        note_silence(recording);
        return std::move(recording);
    }
    return fail(label + " is no output of pcm", "give what 'pcm -csv' wrote, or its screen's link tables");
}

} // namespace snapscope
