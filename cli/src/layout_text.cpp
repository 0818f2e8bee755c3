#include "layout_text.hpp"

#include "escape.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace snapscope::cli {
namespace {

constexpr std::size_t lines_shown = 12;

std::string or_dash(const std::optional<std::uint64_t>& value) {
    return value ? std::to_string(*value) : "-";
}

std::string nodes(const ArrayPlace& array) {
    if (!array.numa_nodes)
        return "-";
    std::string out;
    for (const auto& [node, pages] : *array.numa_nodes)
        out += fmt::format("{}{}:{}", out.empty() ? "" : " ", node, pages);
    return out.empty() ? "-" : out;
}

std::string used(const char* when, const ActiveSlots& active) {
    if (active.count == 0)
        return fmt::format("{}no entry in use\n", when);
    std::string out = fmt::format("{}{} entries in use, {} to {}, on {} lines, {} of them shared", when, active.count,
                                  *active.first, *active.last, active.lines, active.shared_lines.size());
    if (active.scattered_fraction)
        out += fmt::format("; scattered {:.2f} (0 as dense as can be, 1 each by itself)", *active.scattered_fraction);
    return out + "\n";
}

std::string shared(const ActiveSlots& active, const Terminal& terminal) {
    Table table({{"line", Table::Align::right}, {"slots"}, {"sockets"}});
    for (std::size_t i = 0; i < active.shared_lines.size() && i < lines_shown; ++i) {
        const SharedLine& line = active.shared_lines[i];
        table.add({std::to_string(line.line), fmt::format("{}", fmt::join(line.slots, " ")),
                   line.sockets.empty() ? "-" : fmt::format("{}", fmt::join(line.sockets, " "))});
    }
    if (table.empty())
        return "";
    return fmt::format("\nlines with several of them (the first {} of {}):\n",
                       std::min(lines_shown, active.shared_lines.size()), active.shared_lines.size()) +
           table.text(terminal, "  ");
}

std::size_t across_sockets(const ActiveSlots& active) {
    std::size_t count = 0;
    for (const SharedLine& line : active.shared_lines)
        count += std::set<std::uint32_t>(line.sockets.begin(), line.sockets.end()).size() > 1 ? 1U : 0U;
    return count;
}

} // namespace

Table layout_table(const LayoutReport& report) {
    constexpr auto right = Table::Align::right;
    Table table({{"array"},
                 {"address"},
                 {"mod 64", right},
                 {"stride", right},
                 {"entries", right},
                 {"lines", right},
                 {"straddling", right},
                 {"offset", right},
                 {"pages", right},
                 {"page bytes", right},
                 {"pages by node"}});
    for (const ArrayPlace& array : report.arrays)
        table.add({array.name, array.address ? fmt::format("{:#x}", *array.address) : "-",
                   std::to_string(array.address_mod_64), std::to_string(array.stride_bytes),
                   std::to_string(array.entries), std::to_string(array.lines), std::to_string(array.straddling_entries),
                   or_dash(array.segment_offset), std::to_string(array.pages), or_dash(array.page_bytes),
                   nodes(array)});
    return table;
}

std::string layout_text(const LayoutReport& report, const Terminal& terminal) {
    std::string out = fmt::format("PostgreSQL {}, {}", escape_terminal(report.server), report.source);
    if (report.max_connections)
        out += fmt::format(", max_connections {}", *report.max_connections);
    out += "\n\n" + layout_table(report).text(terminal);
    if (report.churn) {
        out += fmt::format("\nduring the run {} entries were taken and {} given back\n", report.churn->taken,
                           report.churn->released);
        out += used("before    ", report.churn->before);
        out += used("after     ", report.churn->after);
    } else if (report.active) {
        out += "\n" + used("", *report.active);
    }
    if (report.active) {
        if (const auto count = across_sockets(*report.active); count > 0)
            out += fmt::format("{} lines are shared by backends that ran on different sockets\n", count);
        out += shared(*report.active, terminal);
    }
    for (const std::string& note : report.notes)
        out += "\n" + terminal.paint(escape_terminal("note: " + note), Tone::faint);
    return out + (report.notes.empty() ? "" : "\n");
}

} // namespace snapscope::cli
