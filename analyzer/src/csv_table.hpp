// A CSV table in memory (RFC 4180).
#pragma once

#include <snapscope/base/result.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct CsvTable {
    struct Row {
        std::size_t line = 0; // of the file, from 1
        std::vector<std::string> cells;
    };
    std::vector<std::string> columns;
    std::vector<Row> rows; // each with as many cells as columns
};

// The first line that is neither blank nor a comment ('#') is the header.
// CRLF and a byte-order mark are accepted; cells are trimmed unless quoted.
[[nodiscard]] Result<CsvTable> parse_csv(std::string_view text, const std::string& label);

} // namespace snapscope
