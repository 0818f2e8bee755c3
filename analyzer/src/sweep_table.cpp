// A table as a sweep: which column is what, then row by row.
#include "csv_table.hpp"
#include "tps_columns.hpp"

#include <snapscope/analyzer/sweep.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace snapscope {
namespace {

using Row = CsvTable::Row;

constexpr std::array<std::string_view, 4> repeat_names{"repeat", "run", "round", "iteration"};
constexpr std::array<std::string_view, 4> reason_names{"reason", "error", "failure", "failed"};
constexpr std::array<std::string_view, 9> key_names{"mode",     "series",   "variant", "reconnect",      "machine",
                                                    "instance", "workload", "scale",   "max_connections"};
// What belongs to the load or the machine and is neither a curve nor a result.
constexpr std::array<std::string_view, 6> conditions{"threads", "seed", "duration_s", "transactions", "id", "order"};

template <std::size_t N> bool among(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

struct Columns {
    std::size_t x = 0;
    std::vector<std::size_t> keys, metrics;
    std::optional<std::size_t> repeat, reason, order;
    TpsColumns tps;
};

std::set<std::string> values_in(const CsvTable& table, std::size_t column) {
    std::set<std::string> out;
    for (const Row& row : table.rows)
        out.insert(row.cells[column]);
    return out;
}

Result<std::size_t> find_x(const CsvTable& table, const std::string& label) {
    std::optional<std::size_t> found;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        if (table.columns[i] != "max_connections" && table.columns[i] != "clients")
            continue;
        if (!found || values_in(table, *found).size() == 1)
            found = i;
    }
    if (!found)
        return fail(label + " has no column max_connections or clients", "name the swept column so");
    return *found;
}

bool holds_numbers(const CsvTable& table, std::size_t column) {
    bool any = false;
    for (const Row& row : table.rows) {
        const CellKind kind = read_number(row.cells[column]).kind;
        any = any || kind == CellKind::number || kind == CellKind::localised;
    }
    return any;
}

bool holds_words_alone(const CsvTable& table, std::size_t column) {
    return std::all_of(table.rows.begin(), table.rows.end(),
                       [&](const Row& row) { return read_number(row.cells[column]).kind == CellKind::word; });
}

Result<Columns> assign_columns(const CsvTable& table, const std::string& label) {
    Columns out;
    const auto x = find_x(table, label);
    if (!x)
        return fail(x.error());
    out.x = *x;
    auto tps = find_tps_columns(table, label);
    if (!tps)
        return fail(tps.error());
    out.tps = std::move(*tps);
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const std::string& name = table.columns[i];
        if (i == out.x || out.tps.owns(i))
            continue;
        if (name == "order")
            out.order = i;
        else if (among(repeat_names, name) && !out.repeat)
            out.repeat = i;
        else if (among(reason_names, name))
            out.reason = i;
        else if (among(key_names, name) || name == "clients" || i < out.x || holds_words_alone(table, i))
            out.keys.push_back(i);
        else if (!among(conditions, name) && holds_numbers(table, i))
            out.metrics.push_back(i);
    }
    // A key with one value tells nothing apart.
    std::erase_if(out.keys,
                  [&](std::size_t i) { return table.columns[i] != "mode" && values_in(table, i).size() == 1; });
    return out;
}

tl::unexpected<Error> bad_cell(const CsvTable& table, const Row& row, std::size_t column, const std::string& label,
                               const char* what) {
    return fail(fmt::format("{}: line {}: {} '{}' {}", label, row.line, table.columns[column], row.cells[column], what),
                "write numbers with a decimal point and nothing between digits");
}

// Why a tps cell is none.
std::string failure_of(const std::string& cell, const NumberCell& number, const std::string& reason) {
    std::string why;
    if (number.kind == CellKind::blank)
        why = reason.empty() ? "no tps" : "";
    else if (number.kind == CellKind::number)
        why = number.value == 0 ? "tps is 0: no transaction" : fmt::format("tps is {}", cell);
    else
        why = fmt::format("tps is '{}'", cell);
    if (reason.empty())
        return why;
    return why.empty() ? reason : reason + " (" + why + ")";
}

class Reader {
  public:
    Reader(const CsvTable& table, const Columns& columns, const std::string& label)
        : table_(table), columns_(columns), label_(label) {
        sweep_.x = table.columns[columns.x];
        sweep_.warnings = table.notes;
        sweep_.warnings.insert(sweep_.warnings.end(), columns.tps.notes.begin(), columns.tps.notes.end());
        for (const std::size_t column : columns.metrics)
            sweep_.kinds[table.columns[column]] = "table";
    }
    Result<Sweep> read() {
        for (const Row& row : table_.rows)
            SNAPSCOPE_TRY(take(row));
        warn_missing();
        warn_thousands();
        return std::move(sweep_);
    }

  private:
    Status take(const Row& row) {
        SweepRun run;
        run.label = fmt::format("{}:{}", label_, row.line);
        const NumberCell x = read_number(row.cells[columns_.x]);
        if (x.kind != CellKind::number || x.value < 0)
            return bad_cell(table_, row, columns_.x, label_, "is no number to sweep over");
        run.x = x.value;
        for (const std::size_t column : columns_.keys)
            run.keys.emplace_back(table_.columns[column], row.cells[column]);
        run.repeat = whole(row, columns_.repeat);
        run.order = whole(row, columns_.order);
        SNAPSCOPE_TRY(take_metrics(row, run));
        const std::string reason = columns_.reason ? row.cells[*columns_.reason] : "";
        for (const TpsColumns::Choice& choice : columns_.tps.of(row)) {
            SweepRun next = run;
            if (!choice.variant.empty())
                next.keys.emplace_back("variant", choice.variant);
            const NumberCell tps = read_number(row.cells[choice.column]);
            if (tps.kind == CellKind::localised)
                return bad_cell(table_, row, choice.column, label_, "is no plain number");
            if (tps.kind == CellKind::number && tps.value > 0 && reason.empty())
                next.tps = tps.value;
            else
                next.failure = failure_of(row.cells[choice.column], tps, reason);
            sweep_.runs.push_back(std::move(next));
        }
        return {};
    }

    Status take_metrics(const Row& row, SweepRun& run) {
        for (const std::size_t column : columns_.metrics) {
            const NumberCell cell = read_number(row.cells[column]);
            if (cell.kind == CellKind::localised)
                return bad_cell(table_, row, column, label_, "is no plain number");
            if (cell.kind == CellKind::number)
                run.metrics[table_.columns[column]] = cell.value;
            else
                missing_[table_.columns[column]].push_back(row.line);
        }
        return {};
    }

    [[nodiscard]] static std::optional<std::uint32_t> whole(const Row& row, std::optional<std::size_t> column) {
        return column ? parse_integer<std::uint32_t>(row.cells[*column]) : std::nullopt;
    }

    void warn_missing() {
        constexpr std::size_t shown = 5;
        for (auto& [name, lines] : missing_) {
            const std::size_t count = lines.size();
            lines.resize(std::min(count, shown));
            sweep_.warnings.push_back(fmt::format("{}: {} has no number in {} of {} rows (line {}{}): missing there",
                                                  label_, name, count, table_.rows.size(), fmt::join(lines, ", "),
                                                  count > shown ? ", ..." : ""));
        }
    }

    // 720.611 under ';' may be 720611 as some locales write it.
    void warn_thousands() {
        if (table_.separator != ';')
            return;
        const auto grouped = [](const std::string& cell) {
            const auto point = cell.find('.');
            return point >= 1 && point <= 3 && cell.size() == point + 4 && cell.front() != '0';
        };
        for (std::size_t i = 0; i < table_.columns.size(); ++i) {
            const auto all = [&](const Row& row) { return row.cells[i].empty() || grouped(row.cells[i]); };
            if (table_.rows.size() > 1 && holds_numbers(table_, i) &&
                std::all_of(table_.rows.begin(), table_.rows.end(), all))
                sweep_.warnings.push_back(fmt::format("{}: every {} has three digits behind a point: if these are "
                                                      "thousands, all are read 1000 times too small",
                                                      label_, table_.columns[i]));
        }
    }

    const CsvTable& table_;
    const Columns& columns_;
    const std::string& label_;
    Sweep sweep_;
    std::map<std::string, std::vector<std::size_t>> missing_;
};

} // namespace

Result<Sweep> sweep_from_csv(std::string_view text, const std::string& label) {
    const auto table = parse_csv(text, label);
    if (!table)
        return fail(table.error());
    if (table->rows.empty())
        return fail(label + " has no rows");
    const auto columns = assign_columns(*table, label);
    if (!columns)
        return fail(columns.error());
    return Reader(*table, *columns, label).read();
}

} // namespace snapscope
