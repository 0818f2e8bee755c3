#include "csv_table.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <optional>

namespace snapscope {
namespace {

class Parser {
  public:
    explicit Parser(std::string_view text) : rest_(text) {
        if (rest_.starts_with("\xef\xbb\xbf"))
            rest_.remove_prefix(3);
    }
    [[nodiscard]] bool done() const { return rest_.empty(); }
    [[nodiscard]] std::size_t line() const { return line_; }

    // Skips one line when it is blank or a comment.
    bool skip_line() {
        const std::string_view line = rest_.substr(0, rest_.find('\n'));
        const std::string_view content = trim(line);
        if (!content.empty() && content.front() != '#')
            return false;
        rest_.remove_prefix(std::min(line.size() + 1, rest_.size()));
        ++line_;
        return true;
    }

    // nullopt: a quoted cell that does not end well.
    std::optional<std::vector<std::string>> record() {
        std::vector<std::string> cells;
        for (;;) {
            auto cell = this->cell();
            if (!cell)
                return std::nullopt;
            cells.push_back(std::move(*cell));
            if (rest_.empty() || rest_.front() == '\n')
                break;
            rest_.remove_prefix(1); // the comma
        }
        if (!rest_.empty())
            rest_.remove_prefix(1);
        ++line_;
        return cells;
    }

  private:
    std::optional<std::string> cell() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
        if (rest_.empty() || rest_.front() != '"') {
            const std::string_view plain = rest_.substr(0, rest_.find_first_of(",\n"));
            rest_.remove_prefix(plain.size());
            return std::string(trim(plain));
        }
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
        const std::string_view after = rest_.substr(0, rest_.find_first_of(",\n"));
        if (!trim(after).empty())
            return std::nullopt;
        rest_.remove_prefix(after.size());
        return out;
    }

    std::string_view rest_;
    std::size_t line_ = 1;
};

} // namespace

Result<CsvTable> parse_csv(std::string_view text, const std::string& label) {
    CsvTable table;
    Parser parser(text);
    while (!parser.done()) {
        if (parser.skip_line())
            continue;
        const std::size_t line = parser.line();
        auto cells = parser.record();
        if (!cells)
            return fail(fmt::format("{}: line {}: a quoted cell does not end well", label, line));
        if (table.columns.empty()) {
            table.columns = std::move(*cells);
            continue;
        }
        if (cells->size() != table.columns.size())
            return fail(fmt::format("{}: line {}: {} cells under {} columns", label, line, cells->size(),
                                    table.columns.size()));
        table.rows.push_back({line, std::move(*cells)});
    }
    if (table.columns.empty())
        return fail(label + " is empty: no header line");
    for (std::size_t i = 0; i < table.columns.size(); ++i)
        if (std::find(table.columns.begin(), table.columns.begin() + static_cast<std::ptrdiff_t>(i),
                      table.columns[i]) != table.columns.begin() + static_cast<std::ptrdiff_t>(i))
            return fail(fmt::format("{}: two columns are named {}", label, table.columns[i]));
    return table;
}

} // namespace snapscope
