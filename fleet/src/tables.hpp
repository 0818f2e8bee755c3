// The tables of a lake: columns, types, units, meanings.  docs/lake.md is these
// tables for people (a test holds them against each other).
#pragma once

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace snapscope {

struct Column {
    const char* name;
    const char* type;    // SQL's
    const char* unit;    // empty: none
    const char* meaning; // one line
};

struct LakeTable {
    const char* name;
    const char* meaning;
    std::span<const Column> columns;
};

// `runs` first: a row in it is what makes a run's rows in the others count.
[[nodiscard]] std::span<const LakeTable> lake_tables();

// Columns that every table begins with: which run, of which host, written by
// which ingest.
inline constexpr std::size_t shared_columns = 3;

// CREATE TABLE NAME (...) with the table's columns and `month`.
[[nodiscard]] std::string create_statement(const LakeTable& table);

} // namespace snapscope
