#include "csv_table.hpp"

#include <snapscope/base/csv.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

// Names of columns: distinct, and none empty but for trailing separators.
Status check_columns(std::vector<std::string>& columns, const std::string& label) {
    while (columns.size() > 1 && columns.back().empty())
        columns.pop_back();
    for (std::size_t i = 0; i < columns.size(); ++i) {
        if (columns[i].empty())
            return fail(fmt::format("{}: column {} has no name", label, i + 1));
        for (std::size_t j = 0; j < i; ++j)
            if (columns[j] == columns[i])
                return fail(fmt::format("{}: two columns are named {}", label, columns[i]));
    }
    return {};
}

// Cells beyond the columns are trailing separators where they are empty.
void drop_trailing_blanks(std::vector<std::string>& cells, std::size_t columns) {
    while (cells.size() > columns && cells.back().empty())
        cells.pop_back();
}

Status take_row(CsvTable& table, CsvRecord record, const std::string& label) {
    drop_trailing_blanks(record.cells, table.columns.size());
    if (record.cells == table.columns) {
        table.notes.push_back(fmt::format("{}: line {} repeats the header: passed over", label, record.line));
        return {};
    }
    if (record.cells.size() < table.columns.size() && !record.ended) {
        table.notes.push_back(fmt::format("{}: line {} is cut off ({} of {} cells): left out", label, record.line,
                                          record.cells.size(), table.columns.size()));
        return {};
    }
    if (record.cells.size() != table.columns.size())
        return fail(fmt::format("{}: line {}: {} cells under {} columns", label, record.line, record.cells.size(),
                                table.columns.size()));
    if (!record.ended)
        table.notes.push_back(fmt::format("{}: line {}, the last, has no line end: its last cell '{}' may be cut",
                                          label, record.line, record.cells.back()));
    table.rows.push_back({record.line, std::move(record.cells)});
    return {};
}

} // namespace

std::optional<std::size_t> CsvTable::column(std::string_view name) const {
    const auto at = std::find(columns.begin(), columns.end(), name);
    return at == columns.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at - columns.begin()));
}

Result<CsvTable> parse_csv(std::string_view text, const std::string& label) {
    CsvTable table;
    table.separator = detect_separator(text);
    CsvReader reader(text, table.separator);
    while (reader.more()) {
        const std::size_t line = reader.line();
        auto record = reader.next();
        if (!record)
            return fail(fmt::format("{}: line {}: a quoted cell does not end well", label, line));
        if (table.columns.empty()) {
            table.columns = std::move(record->cells);
            SNAPSCOPE_TRY(check_columns(table.columns, label));
            continue;
        }
        SNAPSCOPE_TRY(take_row(table, std::move(*record), label));
    }
    if (table.columns.empty())
        return fail(label + " is empty: no header line");
    return table;
}

} // namespace snapscope
