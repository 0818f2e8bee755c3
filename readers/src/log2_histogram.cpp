#include <snapscope/base/csv.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/readers/log2_histogram.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <optional>

namespace snapscope {
namespace {

struct Bucket {
    double low = 0, high = 0; // [low, high)
    std::uint64_t count = 0;
};

std::string_view next_word(std::string_view& text) {
    text = trim(text);
    const std::string_view word = text.substr(0, text.find_first_of(" \t"));
    text.remove_prefix(word.size());
    return word;
}

// "1024 -> 2047 : 995030 |****|"; nullopt where the line is none.
std::optional<Result<Bucket>> bcc_row(std::string_view line, double unit) {
    const auto arrow = line.find("->");
    if (arrow == std::string_view::npos)
        return std::nullopt;
    const auto low = parse_integer<std::uint64_t>(trim(line.substr(0, arrow)));
    std::string_view rest = line.substr(arrow + 2);
    const auto high = parse_integer<std::uint64_t>(next_word(rest));
    const bool colon = next_word(rest) == ":";
    const auto count = parse_integer<std::uint64_t>(next_word(rest));
    if (!low || !high || !colon || !count)
        return fail("no row of a histogram");
    return Bucket{static_cast<double>(*low) * unit, (static_cast<double>(*high) + 1) * unit, *count};
}

// "16", "1K", "2M" of bpftrace: powers of 1024.
std::optional<double> bpftrace_number(std::string_view text) {
    double unit = 1;
    for (const auto& [suffix, factor] : {std::pair{'K', 0x1p10}, {'M', 0x1p20}, {'G', 0x1p30}, {'T', 0x1p40}})
        if (text.ends_with(suffix)) {
            unit = factor;
            text.remove_suffix(1);
            break;
        }
    const auto value = parse_integer<std::uint64_t>(text);
    return value ? std::optional(static_cast<double>(*value) * unit) : std::nullopt;
}

// "[1K, 2K)   995030 |@@@@|"; "[0]" and "[1]" are one value.
std::optional<Result<Bucket>> bpftrace_row(std::string_view line, double unit) {
    if (!line.starts_with("["))
        return std::nullopt;
    const auto close = line.find_first_of(")]");
    if (close == std::string_view::npos)
        return fail("no row of a histogram");
    const std::string_view inside = line.substr(1, close - 1);
    const auto comma = inside.find(',');
    const auto low = bpftrace_number(trim(inside.substr(0, comma)));
    const auto high = comma == std::string_view::npos ? std::optional(low.value_or(0) + 1)
                                                      : bpftrace_number(trim(inside.substr(comma + 1)));
    std::string_view rest = line.substr(close + 1);
    const auto count = parse_integer<std::uint64_t>(next_word(rest));
    if (!low || !high || !count)
        return fail("no row of a histogram");
    return Bucket{*low * unit, *high * unit, *count};
}

Result<std::vector<Bucket>> read_csv(std::string_view text, const std::string& label, std::vector<std::string>& notes) {
    std::vector<Bucket> out;
    CsvReader reader(text, detect_separator(text));
    std::vector<std::string> header;
    while (reader.more()) {
        const std::size_t line = reader.line();
        const auto record = reader.next();
        if (!record)
            return fail(fmt::format("{}: line {}: a quoted cell does not end well", label, line));
        if (header.empty()) {
            header = record->cells;
            continue;
        }
        if (record->cells == header) {
            notes.push_back(fmt::format("{}: line {} repeats the header: passed over", label, line));
            continue;
        }
        if (record->cells.size() < 3 && !record->ended) {
            notes.push_back(fmt::format("{}: line {} is cut off: left out", label, line));
            continue;
        }
        const auto low = record->cells.size() == 3 ? parse_integer<std::uint64_t>(record->cells[0]) : std::nullopt;
        const auto high = low ? parse_integer<std::uint64_t>(record->cells[1]) : std::nullopt;
        const auto count = high ? parse_integer<std::uint64_t>(record->cells[2]) : std::nullopt;
        if (!count)
            return fail(fmt::format("{}: line {}: three whole numbers belong here", label, line));
        if (!record->ended)
            notes.push_back(fmt::format("{}: line {}, the last, has no line end: its count may be cut", label, line));
        out.push_back({static_cast<double>(*low), static_cast<double>(*high) + 1, *count});
    }
    return out;
}

Result<std::vector<Bucket>> read_text(std::string_view text, const std::string& label,
                                      std::vector<std::string>& notes) {
    std::vector<Bucket> out;
    double unit = 1;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        const bool ended = end != std::string_view::npos;
        const std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(ended ? end + 1 : text.size());
        if (line.starts_with("usecs"))
            unit = 1e3;
        else if (line.starts_with("msecs"))
            unit = 1e6;
        auto row = bcc_row(line, unit);
        if (!row)
            row = bpftrace_row(line, unit);
        if (!row)
            continue;
        if (!*row && !ended) {
            notes.push_back(fmt::format("{}: line {} is cut off: left out", label, number));
            continue;
        }
        if (!*row)
            return fail(fmt::format("{}: line {} is {}", label, number, row->error().what));
        if (!ended && !line.ends_with("|"))
            notes.push_back(fmt::format("{}: line {}, the last, has no line end: its count may be cut", label, number));
        out.push_back(**row);
    }
    return out;
}

bool is_csv(std::string_view text) {
    const std::string_view first = text.substr(0, text.find('\n'));
    return first.find("lo_ns") != std::string_view::npos && first.find("count") != std::string_view::npos;
}

} // namespace

Result<Log2Histogram> read_log2_histogram(std::string_view text, const std::string& label) {
    Log2Histogram out;
    const auto buckets = is_csv(text) ? read_csv(text, label, out.notes) : read_text(text, label, out.notes);
    if (!buckets)
        return fail(buckets.error());
    if (buckets->empty())
        return fail(label + " holds no histogram", "give what funclatency or bpftrace printed, or lo_ns,hi_ns,count");
    Histogram& histogram = out.histogram;
    histogram.unit = "ns";
    for (const Bucket& bucket : *buckets) {
        if (!(bucket.high > bucket.low) || (!histogram.bounds.empty() && bucket.low < histogram.bounds.back()))
            return fail(fmt::format("{}: the bucket from {} does not follow the one before", label, bucket.low));
        if (histogram.bounds.empty())
            histogram.bounds.push_back(bucket.low);
        else if (bucket.low > histogram.bounds.back()) {
            histogram.bounds.push_back(bucket.low);
            histogram.counts.push_back(0);
        }
        histogram.bounds.push_back(bucket.high);
        histogram.counts.push_back(bucket.count);
    }
    out.may_be_cut = histogram.counts.back() > 0;
    if (out.may_be_cut)
        out.notes.push_back(
            fmt::format("{}: the last bucket ({} to {} ns) is not empty: the text may be cut there, and the "
                        "largest values lie in it or beyond",
                        label, histogram.bounds[histogram.bounds.size() - 2], histogram.bounds.back()));
    return out;
}

} // namespace snapscope
