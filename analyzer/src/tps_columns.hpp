// Which columns of a table hold tps, and which of them a row means.
#pragma once

#include "csv_table.hpp"

#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// Either one column tps; or pgbench's pair of figures, of which a run with -C
// means the including and any other run the excluding one; or several columns
// tps_NAME, each a curve of its own.
struct TpsColumns {
    struct Choice {
        std::size_t column = 0;
        std::string variant; // NAME of tps_NAME; empty for the others
    };
    std::optional<std::size_t> plain, including, excluding, reconnect;
    std::vector<Choice> variants;
    std::vector<std::string> notes;

    [[nodiscard]] bool owns(std::size_t column) const;
    // The figures that a row holds: at least one.
    [[nodiscard]] std::vector<Choice> of(const CsvTable::Row& row) const;
    // Whether a row's excluding figure is meaningless: its run connected for
    // each transaction, or the two figures are so far apart that it must have.
    [[nodiscard]] bool reconnects(const CsvTable::Row& row) const;
};

// Fails where there is no such column.
[[nodiscard]] Result<TpsColumns> find_tps_columns(const CsvTable& table, const std::string& label);

// "true", "1", "yes", "on", ...; nullopt for anything else.
[[nodiscard]] std::optional<bool> truth(std::string_view cell);

} // namespace snapscope
