// A CSV table in memory: a header line, and rows with as many cells.
#pragma once

#include <snapscope/base/number_cell.hpp>
#include <snapscope/base/result.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct CsvTable {
    struct Row {
        std::size_t line = 0; // of the file, from 1
        std::vector<std::string> cells;
    };
    char separator = ',';
    std::vector<std::string> columns;
    std::vector<Row> rows;          // each with as many cells as columns
    std::vector<std::string> notes; // what was passed over, or may be damaged

    [[nodiscard]] std::optional<std::size_t> column(std::string_view name) const;
};

// The first line that is neither blank nor a comment ('#') is the header;
// ';', ',' or tab separate, as in the header (snapscope/base/csv.hpp).  A
// repeated header is passed over with a note; a last line that was cut off
// (no line end, cells missing) is left out with a note, one that may be (no line
// end) is kept with a note; any other row of the wrong length is an error.
[[nodiscard]] Result<CsvTable> parse_csv(std::string_view text, const std::string& label);

} // namespace snapscope
