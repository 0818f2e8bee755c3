#include "pcm_parts.hpp"

#include <snapscope/readers/pcm_live.hpp>

#include <algorithm>

namespace snapscope {
namespace {

constexpr std::size_t most_line_bytes = std::size_t{4} << 20; // thousands of columns fit many times
constexpr const char* label = "pcm";

bool is_whole(std::string_view text, char separator, std::size_t columns) {
    return text.ends_with(separator) && static_cast<std::size_t>(std::ranges::count(text, separator)) >= columns;
}

} // namespace

Status PcmLive::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        if (rest_.size() + std::min(end, bytes.size()) > most_line_bytes)
            return fail("pcm printed a line of more than 4 MiB");
        rest_.append(bytes.substr(0, end));
        if (end == std::string_view::npos)
            break;
        bytes.remove_prefix(end + 1);
        const std::string whole = std::move(rest_);
        rest_.clear();
        SNAPSCOPE_TRY(line(whole));
    }
    if (described() && is_whole(rest_, separator_, columns_)) {
        row(rest_);
        rest_.clear();
    }
    return {};
}

Status PcmLive::line(std::string_view text) {
    if (text.find_first_not_of(" \t\r") == std::string_view::npos)
        return {};
    if (described()) {
        row(text);
        return {};
    }
    const std::string before = std::move(previous_);
    previous_ = text;
    return describe(before, text);
}

// Two lines are the header when the reader of whole files takes them for one.
Status PcmLive::describe(std::string_view first, std::string_view second) {
    for (const char separator : {',', ';'}) {
        if (second.find(separator) == std::string_view::npos)
            continue;
        const std::string header = std::string(first) + "\n" + std::string(second) + "\n";
        const auto found = read_pcm_csv(header, label);
        if (!found)
            return {};
        if (!*found)
            return fail(found->error());
        if ((*found)->series.empty())
            return fail("none of pcm's columns is understood");
        header_ = header;
        separator_ = separator;
        columns_ =
            static_cast<std::size_t>(std::ranges::count(second, separator)) + (second.ends_with(separator) ? 0U : 1U);
        series_ = (*found)->series;
        has_gap_.assign(series_.size(), false);
        return {};
    }
    return {};
}

void PcmLive::row(std::string_view text) {
    const auto read = read_pcm_csv(header_ + std::string(text) + "\n", label);
    if (!read || !*read || (*read)->rows() != 1) {
        ++rows_lost_;
        return;
    }
    PcmRow out;
    out.time_ns = (*read)->time_ns.front();
    for (std::size_t i = 0; i < series_.size(); ++i) {
        out.values.push_back((*read)->series[i].values.front());
        has_gap_[i] = has_gap_[i] || !out.values.back();
    }
    gaps_ += (*read)->gaps;
    rows_.push_back(std::move(out));
}

std::vector<std::string> PcmLive::silent() const {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < series_.size(); ++i)
        if (has_gap_[i])
            out.push_back(series_[i].column);
    return out;
}

} // namespace snapscope
