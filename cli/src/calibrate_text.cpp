#include "calibrate_text.hpp"

#include "escape.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace snapscope::cli {
namespace {

// Errors of one load, in words.
constexpr double tells_up_to = 0.02;
constexpr double tells_over_many_up_to = 0.15;

const char* words(Border border) {
    switch (border) {
    case Border::same_core:
        return "threads of one core";
    case Border::same_llc:
        return "cores of one last-level cache";
    case Border::same_node:
        return "cores of one NUMA node, apart in cache";
    case Border::cross_node:
        return "NUMA nodes of one socket";
    case Border::cross_socket:
        return "sockets";
    }
    return "";
}

const char* words(LineState state) {
    switch (state) {
    case LineState::own:
        return "in its own cache";
    case LineState::clean_remote:
        return "clean in the other core";
    case LineState::dirty_remote:
        return "written by the other core";
    case LineState::dram:
        return "in memory only";
    }
    return "";
}

std::string percent(double share) {
    return fmt::format("{:.2f} %", 100 * share);
}

// "61 ns between cores of one last-level cache, 142 ns between sockets (2.9x)"
std::string finding(const CoreLatencies& latencies) {
    if (latencies.borders.empty())
        return "No pair of CPUs could be measured: they were too busy.";
    std::string out = latencies.synthetic ? "Made up, not measured: a line takes " : "A line takes ";
    for (std::size_t i = 0; i < latencies.borders.size(); ++i) {
        const BorderCost& row = latencies.borders[i];
        out += fmt::format("{}{:.0f} ns between {}", i == 0 ? "" : ", ",
                           row.one_way_cycles.p50 / latencies.cycles_per_ns, words(row.border));
    }
    return out + ", one way.";
}

std::string heading(const CoreLatencies& latencies) {
    std::string out = fmt::format("{}, {} CPUs, {} pairs", latencies.host.cpu_model, latencies.host.cpus.size(),
                                  latencies.pairs.size());
    if (latencies.pairs.size() < latencies.pairs_possible)
        out += fmt::format(" (a sample of {})", grouped(latencies.pairs_possible));
    return out + fmt::format(", {} at {} cycles a ns", latencies.counter, number(latencies.cycles_per_ns));
}

std::string borders(const CoreLatencies& latencies, const Terminal& terminal) {
    using Align = Table::Align;
    Table table({{"between"},
                 {"pairs", Align::right},
                 {"ns", Align::right},
                 {"cycles", Align::right},
                 {"p10 to p90", Align::right},
                 {"costs"}});
    for (const BorderCost& row : latencies.borders) {
        std::string costs = "the narrowest here";
        if (row.costs)
            costs = *row.costs ? fmt::format("yes, {:.1f} times the one above", *row.factor)
                               : "no more than the spread of the ones above";
        table.add({words(row.border), std::to_string(row.pairs),
                   fmt::format("{:.1f}", row.one_way_cycles.p50 / latencies.cycles_per_ns),
                   fmt::format("{:.0f}", row.one_way_cycles.p50),
                   fmt::format("{:.0f} to {:.0f}", row.one_way_cycles.p10, row.one_way_cycles.p90), costs});
    }
    return table.text(terminal);
}

// Of one pair the spread is over its rounds, not over pairs.
std::string rounds_of_the_only_pair(const CoreLatencies& latencies) {
    if (latencies.pairs.size() != 1 || latencies.pairs[0].rounds == 0)
        return "";
    const CorePair& pair = latencies.pairs[0];
    const Spread& s = pair.one_way_cycles;
    return fmt::format("{} rounds: {:.0f} at least, p10 {:.0f}, p90 {:.0f}, p99 {:.0f} cycles\n", pair.rounds, s.min,
                       s.p10, s.p90, s.p99);
}

std::string offsets(const CoreLatencies& latencies) {
    double worst = 0;
    double bound = 0;
    for (const CorePair& pair : latencies.pairs) {
        if (pair.rounds == 0)
            continue;
        worst = std::max(worst, std::abs(pair.counter_offset_cycles));
        bound = std::max(bound, pair.counter_offset_bound);
    }
    return fmt::format(
        "The counters of two CPUs differ by at most {:.0f} cycles (half the asymmetry; each known within "
        "{:.0f} either way).\n",
        worst, bound);
}

std::string loads(const CoreLatencies& latencies, const Terminal& terminal) {
    using Align = Table::Align;
    if (latencies.loads.empty())
        return "";
    Table table({{"one load of a line"},
                 {"from"},
                 {"loads", Align::right},
                 {"p50 cycles", Align::right},
                 {"p10", Align::right},
                 {"p90", Align::right},
                 {"p99", Align::right},
                 {"ns", Align::right}});
    const auto cycles = [](double value) { return fmt::format("{:.0f}", value); };
    for (const LoadRow& row : latencies.loads)
        table.add({words(row.state), words(row.border), grouped(row.loads), cycles(row.cycles.p50),
                   cycles(row.cycles.p10), cycles(row.cycles.p90), cycles(row.cycles.p99),
                   fmt::format("{:.0f}", row.cycles.p50 / latencies.cycles_per_ns)});
    return "\n" + table.text(terminal) + "(with the cost of reading the counter)\n";
}

std::string verdict(double error_rate) {
    if (error_rate <= tells_up_to)
        return "one load tells them apart";
    if (error_rate <= tells_over_many_up_to)
        return "only many loads together tell them apart";
    return "cannot be told apart";
}

std::string what_a_load_tells(const CoreLatencies& latencies, const Terminal& terminal) {
    std::string out = "\n";
    if (latencies.threshold) {
        const LoadThreshold& t = *latencies.threshold;
        out +=
            fmt::format("A load of more than {:.0f} cycles (any of {:.0f} to {:.0f} does as well) says that the line "
                        "had left this core: missed {}, false {} of {} loads.\n",
                        t.cycles, t.low_cycles, t.high_cycles, percent(t.missed_rate()), percent(t.false_rate()),
                        grouped(t.slow_loads + t.fast_loads));
    }
    if (latencies.separable.empty())
        return out;
    Table table({{"a line"}, {"and one"}, {"between"}, {"wrong", Table::Align::right}, {""}});
    for (const Separability& row : latencies.separable)
        table.add(
            {words(row.fast), words(row.slow), words(row.border), percent(row.error_rate), verdict(row.error_rate)});
    return out + table.text(terminal) +
           "However slow, a load never proves that another core had modified the line: that takes hardware events or "
           "watchpoints.\n";
}

} // namespace

std::string calibrate_text(const CoreLatencies& latencies, const Terminal& terminal) {
    std::string out = terminal.paint(escape_terminal(finding(latencies)), Tone::strong) + "\n" +
                      escape_terminal(heading(latencies)) + "\n\n" + borders(latencies, terminal) +
                      rounds_of_the_only_pair(latencies) + offsets(latencies) + loads(latencies, terminal) +
                      what_a_load_tells(latencies, terminal);
    for (const auto& warning : latencies.warnings)
        out += terminal.paint("warning: " + escape_terminal(warning), Tone::warn) + "\n";
    return out;
}

Table calibrate_table(const CoreLatencies& latencies) {
    using Align = Table::Align;
    Table table({{"cpu_a", Align::right},
                 {"cpu_b", Align::right},
                 {"border"},
                 {"one_way_ns", Align::right},
                 {"one_way_cycles", Align::right},
                 {"p10_cycles", Align::right},
                 {"p90_cycles", Align::right},
                 {"counter_offset_cycles", Align::right},
                 {"rounds", Align::right},
                 {"rounds_lost", Align::right}});
    for (const CorePair& pair : latencies.pairs) {
        const bool known = pair.rounds > 0;
        const auto value = [&](double cycles) { return known ? number(cycles) : std::string(); };
        table.add({std::to_string(pair.a), std::to_string(pair.b), to_string(pair.border),
                   value(pair.one_way_cycles.p50 / latencies.cycles_per_ns), value(pair.one_way_cycles.p50),
                   value(pair.one_way_cycles.p10), value(pair.one_way_cycles.p90), value(pair.counter_offset_cycles),
                   std::to_string(pair.rounds), std::to_string(pair.rounds_lost)});
    }
    return table;
}

} // namespace snapscope::cli
