#include "simulate_text.hpp"

#include "escape.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope::cli {
namespace {

constexpr std::size_t lines_shown = 8;

std::string per_snapshot(const SimulationResult& result, std::uint64_t count) {
    return result.snapshots == 0
               ? "-"
               : fmt::format("{:.3f}", static_cast<double>(count) / static_cast<double>(result.snapshots));
}

std::vector<std::string> row(const SimulationResult& result, std::string name, const CoherenceTally& tally) {
    std::vector<std::string> cells{std::move(name), per_snapshot(result, tally.accesses)};
    for (const std::uint64_t count : tally.transfers)
        cells.push_back(per_snapshot(result, count));
    cells.push_back(per_snapshot(result, sum(tally.upgrades)));
    cells.push_back(per_snapshot(result, tally.invalidated));
    return cells;
}

std::string head(const SimulationResult& r) {
    std::string out =
        fmt::format("modelled: {} on {} ({})\n", to_string(r.protocol), escape_terminal(r.topology), r.topology_words);
    out += fmt::format("load      {}\n", escape_terminal(r.load));
    out += fmt::format("mode      {}{}; slots {}, CPUs {}, {} bytes an entry, prefetch {}\n", r.mode,
                       r.mode == r.recorded_mode || r.load != "recorded"
                           ? std::string()
                           : " (recorded with " + escape_terminal(r.recorded_mode) + ")",
                       to_string(r.slots), to_string(r.cpus), r.stride_bytes, to_string(r.prefetch));
    out += fmt::format("counted   {} snapshots, {} transactions, {} events, {} line accesses\n", grouped(r.snapshots),
                       grouped(r.transactions), grouped(r.events), grouped(r.total.accesses));
    if (r.lines_per_scan)
        out += fmt::format("a scan    {:.1f} lines of PGXACT{}\n", *r.lines_per_scan,
                           r.lines_per_scan_recorded
                               ? fmt::format(" (the server counted {:.1f})", *r.lines_per_scan_recorded)
                               : std::string());
    return out;
}

std::string cost(const SimulationResult& r) {
    if (!r.cycles_per_snapshot)
        return "cost      not known: the matrix lacks a distance that occurs\n";
    return fmt::format("cost      {:.0f} cycles a snapshot on the way, one after the other, by the {} matrix ({})\n",
                       *r.cycles_per_snapshot, to_string(r.matrix.source), escape_terminal(r.matrix.name));
}

std::string prefetching(const SimulationResult& r) {
    if (r.prefetch == Prefetch::none)
        return "";
    return fmt::format("prefetch  {} lines a snapshot moved by it, {} of use\n",
                       per_snapshot(r, sum(r.total.prefetched)), per_snapshot(r, r.useful_prefetches));
}

std::string hottest(const SimulationResult& r, const Terminal& terminal) {
    Table table({{"line"},
                 {"address"},
                 {"transfers/snapshot", Table::Align::right},
                 {"cross socket", Table::Align::right},
                 {"invalidated", Table::Align::right}});
    const std::size_t count = std::min(lines_shown, r.by_line.size());
    for (std::size_t i = 0; i < count; ++i) {
        const LineTally& line = r.by_line[i];
        table.add({fmt::format("{} {}", line.structure, line.index), fmt::format("{:#x}", line.address),
                   per_snapshot(r, sum(line.tally.transfers)),
                   per_snapshot(r, line.tally.transfers[static_cast<std::size_t>(Distance::cross_socket)]),
                   per_snapshot(r, line.tally.invalidated)});
    }
    if (table.empty())
        return "";
    return fmt::format("\nlines that moved most, of {}:\n", r.by_line.size()) + table.text(terminal, "  ");
}

std::string list(const std::string& title, const std::vector<std::string>& rows, const Terminal& terminal, Tone tone) {
    if (rows.empty())
        return "";
    std::string out = "\n" + title + "\n";
    for (const std::string& each_row : rows)
        out += "  " + terminal.paint(escape_terminal(each_row), tone) + "\n";
    return out;
}

} // namespace

Table simulate_table(const SimulationResult& result) {
    std::vector<Table::Column> columns{{"per snapshot"}, {"accesses", Table::Align::right}};
    for (std::size_t i = 0; i < distance_count; ++i)
        columns.push_back({to_string(static_cast<Distance>(i)), Table::Align::right});
    columns.push_back({"upgrades", Table::Align::right});
    columns.push_back({"invalidated", Table::Align::right});
    Table table(std::move(columns));
    for (const NamedTally& each_row : result.by_structure)
        table.add(row(result, each_row.name, each_row.tally));
    for (const NamedTally& each_row : result.by_purpose)
        table.add(row(result, "for " + each_row.name, each_row.tally), Tone::faint);
    table.add(row(result, "total", result.total), Tone::strong);
    return table;
}

std::string simulate_factor(const SimulationResult& base, const SimulationResult& other) {
    const auto compare = [](std::optional<double> before, std::optional<double> after) {
        if (!before || !after)
            return std::string("no snapshot was taken");
        const std::string both = fmt::format("{:.2f} instead of {:.2f}", *after, *before);
        return *after > 0 ? both + fmt::format(" (a factor of {:.2f})", *before / *after) : both;
    };
    return fmt::format("{} against {}, transfers a snapshot: {}; of these across sockets: {}\n", other.mode, base.mode,
                       compare(transfers_per_snapshot(base), transfers_per_snapshot(other)),
                       compare(transfers_per_snapshot(base, Distance::cross_socket),
                               transfers_per_snapshot(other, Distance::cross_socket)));
}

std::string simulate_text(const SimulationResult& result, const Terminal& terminal) {
    return head(result) + cost(result) + prefetching(result) + "\n" + simulate_table(result).text(terminal) +
           hottest(result, terminal) + list("assumed:", result.assumptions, terminal, Tone::faint) +
           list("not modelled:", result.not_modelled, terminal, Tone::faint) +
           list("warnings:", result.warnings, terminal, Tone::warn);
}

} // namespace snapscope::cli
