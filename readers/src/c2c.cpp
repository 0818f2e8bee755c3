// One pass over the report's lines: "Label : value" above, two ruled tables
// below.
#include "c2c_columns.hpp"
#include "ruled_table.hpp"

#include <snapscope/base/number_cell.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/readers/c2c.hpp>
#include <snapscope/readers/cpu_list.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr double sum_tolerance = 0.5; // of 100 %: perf prints two decimals a row
constexpr std::size_t shown_losses = 3;

std::optional<std::uint64_t> hex(std::string_view text) {
    text = trim(text);
    if (!text.starts_with("0x"))
        return std::nullopt;
    return parse_integer<std::uint64_t>(text.substr(2), 16);
}

// A percentage, or a count: perf writes counts whole, so 12.757 is another country's 12757 and no count.
std::optional<double> figure(std::string_view text) {
    text = trim(text);
    if (text.ends_with("%"))
        text.remove_suffix(1);
    else if (text.find('.') != std::string_view::npos)
        return std::nullopt;
    const NumberCell cell = read_number(text);
    return cell.is_number() && cell.value >= 0 ? std::optional(cell.value) : std::nullopt;
}

class Parser {
  public:
    explicit Parser(const std::string& label) : label_(label) {}

    Result<C2cReport> parse(std::string_view text) {
        while (!text.empty()) {
            const auto end = text.find('\n');
            ended_ = end != std::string_view::npos;
            std::string_view line = text.substr(0, end);
            text.remove_prefix(ended_ ? end + 1 : text.size());
            if (line.ends_with('\r'))
                line.remove_suffix(1);
            ++number_;
            take(line);
        }
        if (out_.totals.empty() && out_.lines.empty())
            return fail(label_ + " is no report of perf c2c", "give what 'perf c2c report --stdio' printed");
        check_sums();
        return std::move(out_);
    }

  private:
    enum class Section { other, totals, lines, accesses };

    void take(std::string_view line) {
        const std::string_view content = trim(line);
        if (content.starts_with("=====") || content.empty() || content.starts_with("-----"))
            return;
        if (is_title(content))
            return;
        if (content.starts_with("#")) {
            take_header(line);
            return;
        }
        switch (section_) {
        case Section::totals:
            take_total(content);
            break;
        case Section::lines:
            take_line(line);
            break;
        case Section::accesses:
            take_access(line);
            break;
        case Section::other:
            break;
        }
    }

    bool is_title(std::string_view content) {
        struct Title {
            std::string_view text;
            Section section;
        };
        constexpr std::array titles{Title{"Trace Event Information", Section::totals},
                                    Title{"Global Shared Cache Line Event Information", Section::totals},
                                    Title{"c2c details", Section::other},
                                    Title{"Shared Data Cache Line Table", Section::lines},
                                    Title{"Shared Cache Line Distribution Pareto", Section::accesses}};
        for (const Title& title : titles)
            if (content.starts_with(title.text)) {
                section_ = title.section;
                header_.clear();
                columns_.clear();
                table_.reset();
                return true;
            }
        return false;
    }

    void take_total(std::string_view content) {
        const auto colon = content.rfind(':');
        if (colon == std::string_view::npos)
            return lose("no total");
        const std::string name(trim(content.substr(0, colon)));
        const auto value = figure(content.substr(colon + 1));
        if (!value || !ended_)
            return lose(fmt::format("{} holds no whole number", name));
        const auto [at, fresh] = out_.totals.emplace(name, *value);
        if (!fresh && at->second != *value) {
            out_.notes.push_back(fmt::format("{}: line {}: {} stands twice with different values: neither is used",
                                             label_, number_, name));
            contradicted_.push_back(name);
        }
    }

    void take_header(std::string_view line) {
        if (!RuledTable::is_rule(trim(line))) {
            header_.emplace_back(line);
            return;
        }
        header_.emplace_back(line);
        if (header_.size() < 2)
            return;
        table_.emplace(header_);
        header_.clear();
        columns_.clear();
        for (const std::string& column : table_->columns()) {
            columns_.push_back(section_ == Section::lines ? c2c_line_column(column) : c2c_access_column(column));
            const std::string& name = columns_.back();
            if (!name.empty() && std::count(columns_.begin(), columns_.end(), name) > 1) {
                out_.notes.push_back(
                    fmt::format("{}: line {}: two columns are {}: neither is used", label_, number_, name));
                std::replace(columns_.begin(), columns_.end(), std::string(name), std::string());
            }
        }
    }

    // The row's cells by our names; nullopt where the row cannot be used.
    std::optional<std::map<std::string, std::string>> row(std::string_view line) {
        if (!table_)
            return std::nullopt;
        const auto cells = table_->cells(line);
        if (!cells || !ended_) {
            lose(ended_ ? "the row does not stand under its columns" : "the last line is cut off");
            return std::nullopt;
        }
        std::map<std::string, std::string> out;
        for (std::size_t i = 0; i < cells->size(); ++i)
            if (!columns_[i].empty())
                out[columns_[i]] = (*cells)[i];
        return out;
    }

    C2cFigures figures(const std::map<std::string, std::string>& cells) {
        C2cFigures out;
        for (const auto& [name, text] : cells) {
            if (name == "index" || name == "address" || name == "offset" || name == "symbol" || name == "object" ||
                name == "node_cpus" || name == "home_node")
                continue;
            if (const auto value = figure(text))
                out[name] = *value;
            else
                note_absent(name);
        }
        return out;
    }

    void take_line(std::string_view line) {
        const auto cells = row(line);
        if (!cells)
            return;
        const auto index = cells->contains("index") ? parse_integer<std::uint32_t>(cells->at("index")) : std::nullopt;
        const auto address = cells->contains("address") ? hex(cells->at("address")) : std::nullopt;
        if (!index || !address)
            return lose("no index and address of a line");
        const std::uint32_t number = index.value_or(0);
        if (std::any_of(out_.lines.begin(), out_.lines.end(), [&](const C2cLine& one) { return one.index == number; }))
            return lose(fmt::format("line {} stands twice", number));
        out_.lines.push_back({number, *address, figures(*cells)});
    }

    // "0  9834  2269  109036  468  0x602180" begins the accesses of a line.
    bool begins_line(std::string_view line) {
        std::vector<std::string> words;
        for (std::string& word : split(trim(line), ' '))
            if (!word.empty())
                words.push_back(std::move(word));
        if (words.size() < 2 || line.find('%') != std::string_view::npos)
            return false;
        const auto index = parse_integer<std::uint32_t>(words.front());
        if (!index || !hex(words.back()))
            return false;
        line_ = *index;
        return true;
    }

    void take_access(std::string_view line) {
        if (begins_line(line))
            return;
        // The column Num is empty here: a mark keeps the row's cells in place.
        const auto cells = row(line);
        if (!cells)
            return;
        if (!line_)
            return lose("an access that belongs to no line");
        C2cAccess access;
        access.line = *line_;
        const auto offset = cells->contains("offset") ? hex(cells->at("offset")) : std::nullopt;
        if (!offset)
            return lose("an access without an offset");
        access.offset = *offset;
        access.figures = figures(*cells);
        if (const auto at = cells->find("symbol"); at != cells->end())
            access.symbol = at->second.starts_with("[") && at->second.size() > 4 ? at->second.substr(4) : at->second;
        if (const auto at = cells->find("object"); at != cells->end())
            access.object = at->second;
        if (const auto at = cells->find("node_cpus"); at != cells->end()) {
            if (auto sets = parse_node_sets(at->second))
                access.cpus = std::move(*sets);
            else
                note_absent("node_cpus");
        }
        out_.accesses.push_back(std::move(access));
    }

    void lose(const std::string& why) {
        if (++out_.rows_lost <= shown_losses)
            out_.notes.push_back(fmt::format("{}: line {}: {}: left out", label_, number_, why));
    }
    void note_absent(const std::string& name) {
        if (absent_[name]++ == 0)
            out_.notes.push_back(fmt::format("{}: line {}: {} is absent", label_, number_, name));
    }

    // What perf printed whole adds up: percentages of a line to 100, local and
    // remote HITM to the total.
    void check_sums() {
        for (const std::string& name : contradicted_)
            out_.totals.erase(name);
        std::map<std::pair<std::uint32_t, std::string>, double> sums;
        for (const C2cAccess& access : out_.accesses)
            for (const auto& [name, value] : access.figures)
                if (name.ends_with("_pct"))
                    sums[{access.line, name}] += value;
        for (const auto& [key, sum] : sums)
            if (sum > 0 && std::fabs(sum - 100) > sum_tolerance)
                out_.notes.push_back(fmt::format("{}: {} of line {} adds up to {:.2f} %, not 100: rows are missing",
                                                 label_, key.second, key.first, sum));
        for (const C2cLine& line : out_.lines) {
            const auto total = line.figures.find("hitm_total");
            const auto lcl = line.figures.find("hitm_lcl");
            const auto rmt = line.figures.find("hitm_rmt");
            if (total != line.figures.end() && lcl != line.figures.end() && rmt != line.figures.end() &&
                total->second != lcl->second + rmt->second)
                out_.notes.push_back(
                    fmt::format("{}: line {}: local and remote HITM do not add up to the total", label_, line.index));
        }
    }

    const std::string& label_;
    C2cReport out_;
    Section section_ = Section::other;
    std::vector<std::string> header_;
    std::optional<RuledTable> table_;
    std::vector<std::string> columns_; // ours, in the table's order
    std::optional<std::uint32_t> line_;
    std::map<std::string, std::size_t> absent_;
    std::vector<std::string> contradicted_;
    std::size_t number_ = 0;
    bool ended_ = false;
};

} // namespace

std::optional<double> C2cReport::total(std::string_view label) const {
    const auto at = totals.find(std::string(label));
    return at == totals.end() ? std::nullopt : std::optional(at->second);
}

std::optional<double> C2cReport::local_hitm() const {
    return reports_no_hitm() ? std::nullopt : total("Load Local HITM");
}

std::optional<double> C2cReport::remote_hitm() const {
    return reports_no_hitm() ? std::nullopt : total("Load Remote HITM");
}

bool C2cReport::reports_no_hitm() const {
    const double missed = std::max(total("Loads - Miss").value_or(0), total("Load LLC Misses").value_or(0));
    return total("Load Local HITM") == 0.0 && total("Load Remote HITM") == 0.0 && missed > 0;
}

Result<C2cReport> read_c2c(std::string_view text, const std::string& label) {
    return Parser(label).parse(text);
}

} // namespace snapscope
