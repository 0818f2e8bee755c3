#include "emulate_text.hpp"

#include "escape.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope::cli {
namespace {

using emulator::EmulatedRow;
using emulator::Movements;
using emulator::PhaseTruth;

constexpr std::size_t lines_shown = 6;
constexpr std::size_t functions_shown = 8;
constexpr std::size_t model_lines_shown = 12;
constexpr double percent = 100;

std::string per(std::uint64_t count, std::uint64_t snapshots, int digits = 3) {
    return snapshots == 0 ? "-"
                          : fmt::format("{:.{}f}", static_cast<double>(count) / static_cast<double>(snapshots), digits);
}

std::uint64_t fetched(const Movements& moved, Distance distance) {
    return moved.fetches[static_cast<std::size_t>(distance)];
}

std::string mode_words(const EmulatedRow& row) {
    return row.mode + (row.slot_spread ? "+spread" : "") + (row.churned ? ", churned" : "");
}

double timeouts_percent(const PhaseTruth& phase) {
    return phase.barriers == 0 ? 0
                               : percent * static_cast<double>(phase.timeouts) / static_cast<double>(phase.barriers);
}

Table structure_table(const EmulatedRow& row) {
    Table table({{"structure"},
                 {"loads", Table::Align::right},
                 {"stores", Table::Align::right},
                 {"locked", Table::Align::right},
                 {"same socket", Table::Align::right},
                 {"cross socket", Table::Align::right},
                 {"upgrades", Table::Align::right},
                 {"invalidated", Table::Align::right},
                 {"cross-socket events", Table::Align::right}});
    const std::uint64_t n = row.snapshots();
    for (const auto& structure : row.repeats.front().by_structure) {
        const Movements moved = movements_of(row, structure.name);
        table.add({structure.name, per(moved.accesses[0], n), per(moved.accesses[1], n), per(moved.accesses[2], n),
                   per(fetched(moved, Distance::same_llc) + fetched(moved, Distance::cross_llc), n),
                   per(fetched(moved, Distance::cross_socket), n), per(sum(moved.upgrades), n),
                   per(moved.invalidated, n), per(moved.cross_socket_events, n)},
                  emulator::makes_snapshot(structure.name) ? Tone::plain : Tone::faint);
    }
    return table;
}

Table line_table(const PhaseTruth& phase, const emulator::Machine& machine) {
    Table table({{"line"},
                 {"cross-socket events", Table::Align::right},
                 {"loads", Table::Align::right},
                 {"stores and locked", Table::Align::right},
                 {"sharing"},
                 {"first touched by socket", Table::Align::right}});
    std::size_t shown = 0;
    for (const auto& line : phase.by_line) {
        if (!emulator::makes_snapshot(line.structure) || line.moved.cross_socket_events == 0)
            continue;
        if (shown++ == lines_shown)
            break;
        table.add({fmt::format("{} {}", line.structure, line.index),
                   per(line.moved.cross_socket_events, phase.snapshots), per(line.moved.accesses[0], phase.snapshots),
                   per(line.moved.accesses[1] + line.moved.accesses[2], phase.snapshots), to_string(line.sharing),
                   std::to_string(machine.topology.cpus.at(line.first_touch_cpu).socket)});
    }
    return table;
}

Table function_table(const PhaseTruth& phase) {
    Table table({{"function"},
                 {"structure"},
                 {"loads", Table::Align::right},
                 {"stores", Table::Align::right},
                 {"locked", Table::Align::right}});
    std::size_t shown = 0;
    for (const auto& row : phase.by_function) {
        if (!emulator::makes_snapshot(row.structure))
            continue;
        if (shown++ == functions_shown)
            break;
        table.add({row.function, row.structure, per(row.accesses[0], phase.snapshots),
                   per(row.accesses[1], phase.snapshots), per(row.accesses[2], phase.snapshots)});
    }
    return table;
}

std::string calls_text(const PhaseTruth& phase) {
    std::string out;
    for (const auto& call : phase.calls)
        out += fmt::format("  a call read {} words of {} ({:.0f} % of those that read it; {:.2f} on average)\n",
                           call.reads, escape_terminal(call.structure), percent * call.share, call.mean);
    return out;
}

std::string repeats_text(const EmulatedRow& row) {
    std::string out = fmt::format("  cross-socket events a snapshot at {} instructions:", row.barrier_instructions);
    for (const PhaseTruth& phase : row.repeats)
        out += fmt::format(" {:.3f}", events_per_snapshot(phase));
    if (const auto spread = spread_percent(row))
        out += fmt::format(" (apart by {:.1f} %)", *spread);
    for (const PhaseTruth& phase : row.convergence)
        out += fmt::format("; at {}: {:.3f}", phase.barrier_instructions, events_per_snapshot(phase));
    return out + "\n";
}

// What moved on each line, as it happened and as the model has it.
std::string model_text(const emulator::ModelCheck& check, const Terminal& terminal) {
    Table table({{"line"},
                 {"emulated", Table::Align::right},
                 {"modelled", Table::Align::right},
                 {"modelled / emulated", Table::Align::right}});
    std::size_t shown = 0;
    for (const auto& line : check.lines)
        if (shown++ < model_lines_shown)
            table.add({fmt::format("{} {}", line.structure, line.index), std::to_string(line.emulated),
                       std::to_string(line.modelled), per(line.modelled, line.emulated, 2)});
    return fmt::format("\n  the model of simulate, fed with {} events of the first load ({} had no moment)\n",
                       check.events, check.unmatched) +
           table.text(terminal, "  ");
}

std::string row_text(const EmulatedRow& row, const emulator::Machine& machine, const Terminal& terminal) {
    const PhaseTruth& last = row.repeats.back();
    std::string out =
        terminal.paint(fmt::format("\n{} {}, {}, {} clients, {} idle, max_connections {}", escape_terminal(row.server),
                                   escape_terminal(mode_words(row)), escape_terminal(row.workload), row.clients,
                                   row.idle, row.max_connections),
                       Tone::strong);
    out += fmt::format("\n  {} snapshots; {:.1f} % of {} barriers were not waited out\n", row.snapshots(),
                       timeouts_percent(last), last.barriers);
    out += repeats_text(row);
    out += calls_text(last);
    out += "\n  a snapshot, by structure (the last two are not counted as its own)\n";
    out += structure_table(row).text(terminal, "  ");
    out += "\n  by line\n" + line_table(last, machine).text(terminal, "  ");
    out += "\n  by function\n" + function_table(last).text(terminal, "  ");
    if (row.model)
        out += model_text(*row.model, terminal);
    return out;
}

} // namespace

Table emulate_table(std::span<const EmulatedRow> rows) {
    Table table({{"server"},
                 {"mode"},
                 {"workload"},
                 {"snapshots", Table::Align::right},
                 {"loads", Table::Align::right},
                 {"stores", Table::Align::right},
                 {"locked", Table::Align::right},
                 {"fetched, same socket", Table::Align::right},
                 {"fetched, cross socket", Table::Align::right},
                 {"invalidated", Table::Align::right},
                 {"cross-socket events", Table::Align::right},
                 {"spread %", Table::Align::right},
                 {"timeouts %", Table::Align::right}});
    for (const EmulatedRow& row : rows) {
        const Movements moved = snapshot_movements(row);
        const std::uint64_t n = row.snapshots();
        const auto spread = spread_percent(row);
        double timeouts = 0;
        for (const PhaseTruth& phase : row.repeats)
            timeouts += timeouts_percent(phase) / static_cast<double>(row.repeats.size());
        table.add({row.server, mode_words(row), row.workload, std::to_string(n), per(moved.accesses[0], n, 2),
                   per(moved.accesses[1], n, 2), per(moved.accesses[2], n, 2),
                   per(fetched(moved, Distance::same_llc) + fetched(moved, Distance::cross_llc), n),
                   per(fetched(moved, Distance::cross_socket), n), per(moved.invalidated, n),
                   per(moved.cross_socket_events, n), spread ? fmt::format("{:.1f}", *spread) : "-",
                   fmt::format("{:.1f}", timeouts)});
    }
    return table;
}

std::string emulate_text(std::span<const EmulatedRow> rows, const emulator::Machine& machine,
                         const Terminal& terminal) {
    std::string out = fmt::format(
        "emulated: {} ({})\nbarrier   every {} instructions; counts are exact, transfers hold for this barrier (MESIF, "
        "caches without limit), times do not exist\n\na snapshot\n",
        escape_terminal(machine.shape), machine.topology.describe(), rows.front().barrier_instructions);
    out += emulate_table(rows).text(terminal, "  ");
    for (const EmulatedRow& row : rows)
        out += row_text(row, machine, terminal);
    return out;
}

} // namespace snapscope::cli
