#include "ruled_table.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <cctype>

namespace snapscope {
namespace {

using Word = RuledWord;

// Parts of `line` with `blanks` blanks or more between them.
std::vector<Word> words_of(std::string_view line, std::size_t blanks) {
    std::vector<Word> out;
    std::size_t at = 0;
    while ((at = line.find_first_not_of(' ', at)) != std::string_view::npos) {
        std::size_t end = at;
        for (;;) {
            end = std::min(line.find(' ', end), line.size());
            const std::size_t next = std::min(line.find_first_not_of(' ', end), line.size());
            if (next == line.size() || next - end >= blanks)
                break;
            end = next;
        }
        out.push_back({at, line.substr(at, end - at)});
        at = end;
    }
    return out;
}

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

// "----- LLC Load Hitm -----" without its dashes.
std::string without_dashes(std::string_view text) {
    const auto from = text.find_first_not_of("- ");
    if (from == std::string_view::npos)
        return "";
    const auto to = text.find_last_not_of("- ");
    return std::string(text.substr(from, to - from + 1));
}

} // namespace

bool RuledTable::is_rule(std::string_view line) {
    return line.starts_with("#") && line.find("..") != std::string_view::npos &&
           line.find_first_not_of(". ", 1) == std::string_view::npos;
}

RuledTable::RuledTable(const std::vector<std::string>& header) {
    for (const Word& dots : words_of(std::string_view(header.back()).substr(1), 1))
        spans_.push_back({dots.from + 1, dots.from + 1 + dots.text.size()});
    std::vector<std::string> groups(spans_.size());
    names_.resize(spans_.size());
    // The line above the rule has the names, the one above that the groups,
    // whose dashes reach over their columns.
    for (std::size_t up = 2; up <= std::min<std::size_t>(3, header.size()); ++up) {
        const std::string& line = header[header.size() - up];
        const bool is_group = up == 3;
        for (const Word& word : words_of(std::string_view(line).substr(1), is_group ? 2 : 1)) {
            const std::size_t from = word.from + 1;
            const std::size_t to = from + word.text.size();
            for (std::size_t i = 0; i < spans_.size(); ++i) {
                if (from >= spans_[i].to || to <= spans_[i].from)
                    continue;
                if (is_group && groups[i].empty())
                    groups[i] = lower(without_dashes(word.text));
                if (!is_group)
                    names_[i] += (names_[i].empty() ? "" : " ") + lower(word.text);
            }
        }
    }
    for (std::size_t i = 0; i < spans_.size(); ++i)
        names_[i] = groups[i] + "/" + names_[i];
}

std::optional<std::vector<std::string>> RuledTable::cells(std::string_view row) const {
    if (spans_.empty())
        return std::nullopt;
    const std::vector<Word> words = words_of(row, 2);
    auto out = by_place(row, words);
    return out ? out : by_order(row, words);
}

// Each word under exactly one rule; the last column takes the rest of the row.
std::optional<std::vector<std::string>> RuledTable::by_place(std::string_view row,
                                                             const std::vector<Word>& words) const {
    std::vector<std::string> out(spans_.size());
    std::size_t next = 0;
    for (const Word& word : words) {
        const std::size_t to = word.from + word.text.size();
        std::size_t at = next;
        while (at < spans_.size() && (word.from >= spans_[at].to || to <= spans_[at].from))
            ++at;
        const bool last = at + 1 == spans_.size();
        if (at == spans_.size() || (!last && to > spans_[at + 1].from))
            return std::nullopt;
        out[at] = last ? trim(row.substr(word.from)) : word.text;
        if (last)
            return out;
        next = at + 1;
    }
    return words.empty() ? std::nullopt : std::optional(std::move(out));
}

// Cells that grew wider than their rule moved all that follow: as many words as
// columns then, but for a first column that may be blank.
std::optional<std::vector<std::string>> RuledTable::by_order(std::string_view row,
                                                             const std::vector<Word>& words) const {
    const std::size_t skipped = !words.empty() && words.front().from >= spans_.front().to ? 1 : 0;
    const std::size_t count = spans_.size() - skipped;
    if (count == 0 || words.size() < count)
        return std::nullopt;
    for (std::size_t i = count; i < words.size(); ++i) // sets of CPUs, with double blanks between them
        if (words[i].text.find('{') == std::string_view::npos ||
            words[count - 1].text.find('{') == std::string_view::npos)
            return std::nullopt;
    std::vector<std::string> out(spans_.size());
    for (std::size_t i = 0; i < count; ++i)
        out[i + skipped] = words[i].text;
    out.back() = trim(row.substr(words[count - 1].from));
    return out;
}

} // namespace snapscope
