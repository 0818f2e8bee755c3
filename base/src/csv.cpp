#include <snapscope/base/csv.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <array>

namespace snapscope {
namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

std::string_view without_mark(std::string_view text) {
    if (text.starts_with(byte_order_mark))
        text.remove_prefix(byte_order_mark.size());
    return text;
}

} // namespace

char detect_separator(std::string_view text) {
    CsvReader lines(text, '\0');
    if (!lines.more())
        return ',';
    text = without_mark(text);
    for (std::size_t skipped = 1; skipped < lines.line(); ++skipped)
        text.remove_prefix(text.find('\n') + 1);
    text = text.substr(0, text.find('\n'));
    std::array<std::size_t, 3> counts{};
    constexpr std::string_view known = ",;\t"; // of equal counts the first
    bool quoted = false;
    for (const char c : text) {
        quoted = quoted != (c == '"');
        if (const auto at = known.find(c); at != std::string_view::npos && !quoted)
            ++counts[at];
    }
    return known[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) - counts.begin())];
}

CsvReader::CsvReader(std::string_view text, char separator) : rest_(without_mark(text)), separator_(separator) {}

bool CsvReader::more(bool skip_comments) {
    while (!rest_.empty()) {
        const std::string_view line = rest_.substr(0, rest_.find('\n'));
        const std::string_view content = trim(line);
        if (!content.empty() && !(skip_comments && content.front() == '#'))
            return true;
        rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
        ++line_;
    }
    return false;
}

std::optional<CsvRecord> CsvReader::next() {
    CsvRecord record;
    record.line = line_;
    for (;;) {
        auto next = cell();
        if (!next)
            return std::nullopt;
        record.cells.push_back(std::move(*next));
        if (rest_.empty() || rest_.front() == '\n')
            break;
        rest_.remove_prefix(1); // the separator
    }
    record.ended = !rest_.empty();
    if (record.ended)
        rest_.remove_prefix(1);
    ++line_;
    return record;
}

std::optional<std::string> CsvReader::cell() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t') && rest_.front() != separator_)
        rest_.remove_prefix(1);
    if (!rest_.empty() && rest_.front() == '"')
        return quoted_cell();
    const std::array stops{separator_, '\n'};
    const std::string_view plain = rest_.substr(0, rest_.find_first_of(stops.data(), 0, stops.size()));
    rest_.remove_prefix(plain.size());
    return std::string(trim(plain));
}

std::optional<std::string> CsvReader::quoted_cell() {
    rest_.remove_prefix(1);
    std::string out;
    for (;;) {
        const auto quote = rest_.find('"');
        if (quote == std::string_view::npos)
            return std::nullopt;
        out += rest_.substr(0, quote);
        rest_.remove_prefix(quote + 1);
        if (rest_.empty() || rest_.front() != '"')
            break;
        out += '"';
        rest_.remove_prefix(1);
    }
    line_ += static_cast<std::size_t>(std::count(out.begin(), out.end(), '\n'));
    const std::array stops{separator_, '\n'};
    const std::string_view after = rest_.substr(0, rest_.find_first_of(stops.data(), 0, stops.size()));
    if (!trim(after).empty())
        return std::nullopt;
    rest_.remove_prefix(after.size());
    return out;
}

} // namespace snapscope
