#include "tps_columns.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

// Of "excluding" to "including", as the reader of pgbench's output takes it.
constexpr double reconnect_ratio = 2.0;
constexpr std::string_view prefix = "tps_";

bool starts(const std::string& name, std::string_view word) {
    return name.starts_with(std::string(prefix) + std::string(word));
}

} // namespace

std::optional<bool> truth(std::string_view cell) {
    if (cell == "true" || cell == "t" || cell == "1" || cell == "yes" || cell == "on")
        return true;
    if (cell == "false" || cell == "f" || cell == "0" || cell == "no" || cell == "off")
        return false;
    return std::nullopt;
}

bool TpsColumns::owns(std::size_t column) const {
    return plain == column || including == column || excluding == column ||
           std::any_of(variants.begin(), variants.end(), [&](const Choice& c) { return c.column == column; });
}

bool TpsColumns::reconnects(const CsvTable::Row& row) const {
    if (reconnect)
        if (const auto known = truth(row.cells[*reconnect]))
            return *known;
    if (!including || !excluding)
        return false;
    const NumberCell with = read_number(row.cells[*including]);
    const NumberCell without = read_number(row.cells[*excluding]);
    return with.kind == CellKind::number && without.kind == CellKind::number &&
           without.value > reconnect_ratio * with.value;
}

std::vector<TpsColumns::Choice> TpsColumns::of(const CsvTable::Row& row) const {
    if (plain)
        return {{*plain, ""}};
    if (including && (reconnects(row) || !excluding))
        return {{*including, ""}};
    if (excluding)
        return {{*excluding, ""}};
    return variants;
}

Result<TpsColumns> find_tps_columns(const CsvTable& table, const std::string& label) {
    TpsColumns out;
    out.plain = table.column("tps");
    out.reconnect = table.column("reconnect");
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string& name = table.columns[i];
        if (starts(name, "including"))
            out.including = i;
        else if (starts(name, "excluding"))
            out.excluding = i;
        else if (name.starts_with(prefix) && name.size() > prefix.size())
            out.variants.push_back({i, name.substr(prefix.size())});
    }
    if (out.plain)
        out.including = out.excluding = std::nullopt;
    if (out.plain || out.including || out.excluding)
        out.variants.clear();
    if (!out.plain && out.excluding) {
        const auto meaningless = std::count_if(table.rows.begin(), table.rows.end(),
                                               [&](const CsvTable::Row& row) { return out.reconnects(row); });
        if (meaningless > 0 && !out.including)
            return fail(fmt::format("{}: {} rows connected for each transaction (-C), whose {} means nothing", label,
                                    meaningless, table.columns[*out.excluding]),
                        "give the column tps_including_connect too");
        if (meaningless > 0)
            out.notes.push_back(fmt::format("{}: {} of {} rows connected for each transaction (-C): tps includes that "
                                            "time there, {} means nothing",
                                            label, meaningless, table.rows.size(), table.columns[*out.excluding]));
    }
    if (!out.plain && !out.including && !out.excluding && out.variants.empty())
        return fail(label + " has no column tps", "one row a run, with a column tps");
    return out;
}

} // namespace snapscope
