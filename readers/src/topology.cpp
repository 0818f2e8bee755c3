// lscpu (both forms) and numactl -H, line by line.
#include "topology_hwloc.hpp"

#include <snapscope/base/csv.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/readers/cpu_list.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace snapscope {
namespace {

constexpr std::size_t most_topology_bytes = std::size_t{64} << 20U;

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream in{std::string(text)};
    std::vector<std::string> out;
    for (std::string word; in >> word;)
        out.push_back(word);
    return out;
}

template <typename Take> Status each_line(std::string_view text, Take take) {
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        SNAPSCOPE_TRY(take(trim(line), number));
    }
    return {};
}

// cpus of a node, as a list of numbers or ranges separated by blanks or commas.
Status add_node(MachineTopology& out, std::uint32_t node, std::string_view cpus, const std::string& where) {
    std::string list;
    for (const std::string& word : words_of(cpus))
        list += (list.empty() || list.back() == ',' ? "" : ",") + word;
    const auto numbers = parse_cpu_list(list);
    if (!numbers)
        return fail(fmt::format("{}: '{}' is no list of CPUs", where, cpus));
    for (const std::uint32_t cpu : *numbers) {
        auto at = std::find_if(out.cpus.begin(), out.cpus.end(), [&](const TopologyCpu& c) { return c.cpu == cpu; });
        if (at == out.cpus.end())
            at = out.cpus.insert(out.cpus.end(), TopologyCpu{cpu, {}, {}, {}, {}});
        if (at->node && *at->node != node)
            return fail(fmt::format("{}: CPU {} is in nodes {} and {}", where, cpu, *at->node, node));
        at->node = node;
    }
    return {};
}

// "node 0 cpus: 0 1 2", "node 0 size: 773271 MB", then the distances.
Result<MachineTopology> read_numactl(std::string_view text, const std::string& label) {
    MachineTopology out;
    std::set<std::uint32_t> nodes;
    std::vector<std::uint32_t> columns; // of the table of distances
    const auto line = [&](std::string_view content, std::size_t number) -> Status {
        const std::string where = fmt::format("{}: line {}", label, number);
        const auto words = words_of(content);
        if (words.size() >= 3 && words[0] == "node" && (words[2] == "cpus:" || words[2] == "size:")) {
            const auto node = parse_integer<std::uint32_t>(words[1]);
            if (!node)
                return fail(where + ": no number of a node");
            nodes.insert(*node);
            if (words[2] == "cpus:")
                return add_node(out, *node, content.substr(content.find("cpus:") + 5), where);
            const auto size = words.size() > 3 ? parse_integer<std::uint64_t>(words[3]) : std::nullopt;
            if (!size || words.size() < 5 || words[4] != "MB")
                return fail(where + ": no size in MB");
            out.memory_mb[*node] = *size;
        } else if (!words.empty() && words[0] == "node" && words.size() > 1 && parse_integer<std::uint32_t>(words[1])) {
            columns.clear();
            for (std::size_t i = 1; i < words.size(); ++i)
                if (const auto node = parse_integer<std::uint32_t>(words[i]))
                    columns.push_back(*node);
            if (columns.size() + 1 != words.size())
                columns.clear(); // "node 0 free: ..."
        } else if (!words.empty() && words[0].ends_with(":") && !columns.empty()) {
            const auto row = parse_integer<std::uint32_t>(words[0].substr(0, words[0].size() - 1));
            if (!row || words.size() != columns.size() + 1)
                return fail(fmt::format("{}: {} distances for {} nodes", where, words.size() - 1, columns.size()));
            for (std::size_t i = 0; i < columns.size(); ++i) {
                const auto distance = parse_integer<std::uint32_t>(words[i + 1]);
                if (!distance)
                    return fail(where + ": a distance is no number");
                out.distance[*row][columns[i]] = *distance;
            }
        }
        return {};
    };
    SNAPSCOPE_TRY(each_line(text, line));
    if (!out.distance.empty() && out.distance.size() != nodes.size())
        out.notes.push_back(fmt::format("{}: distances of {} of {} nodes: the file is cut off", label,
                                        out.distance.size(), nodes.size()));
    out.nodes = static_cast<std::uint32_t>(nodes.size());
    return out;
}

// "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3" and a line a CPU.
Result<MachineTopology> read_lscpu_table(std::string_view text, const std::string& label) {
    MachineTopology out;
    std::vector<std::string> names;
    std::set<std::uint32_t> sockets;
    std::set<std::uint32_t> nodes;
    std::set<std::uint32_t> llcs;
    const auto line = [&](std::string_view content, std::size_t number) -> Status {
        if (content.starts_with("# CPU") || content.starts_with("#CPU")) {
            names = split(trim(content.substr(1)), ',');
            return {};
        }
        if (content.empty() || content.front() == '#')
            return {};
        const auto cells = split(content, ',');
        if (names.empty() || cells.size() != names.size())
            return fail(
                fmt::format("{}: line {}: {} cells under {} columns", label, number, cells.size(), names.size()));
        TopologyCpu cpu;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const auto value = parse_integer<std::uint32_t>(cells[i]);
            if (!value) {
                if (names[i] == "CPU")
                    return fail(fmt::format("{}: line {}: no number of a CPU", label, number));
                continue; // blank: not told
            }
            if (names[i] == "CPU")
                cpu.cpu = *value;
            else if (names[i] == "Core")
                cpu.core = *value;
            else if (names[i] == "Socket")
                sockets.insert(*(cpu.socket = value));
            else if (names[i] == "Node")
                nodes.insert(*(cpu.node = value));
            else if (names[i] == "L3")
                llcs.insert(*(cpu.llc = value));
        }
        out.cpus.push_back(cpu);
        return {};
    };
    SNAPSCOPE_TRY(each_line(text, line));
    const auto size = [](const auto& set) {
        return set.empty() ? std::nullopt : std::optional(static_cast<std::uint32_t>(set.size()));
    };
    out.sockets = size(sockets);
    out.nodes = size(nodes);
    out.llcs = size(llcs);
    return out;
}

// "Socket(s):   2", "NUMA node0 CPU(s):   0-17,36-53"
Result<MachineTopology> read_lscpu(std::string_view text, const std::string& label) {
    MachineTopology out;
    const auto line = [&](std::string_view content, std::size_t number) -> Status {
        const auto colon = content.find(':');
        if (colon == std::string_view::npos)
            return {};
        const std::string_view name = trim(content.substr(0, colon));
        const std::string_view value = trim(content.substr(colon + 1));
        const auto whole = [&](std::optional<std::uint32_t>& into) -> Status {
            into = parse_integer<std::uint32_t>(value);
            return into ? Status{}
                        : Status(fail(fmt::format("{}: line {}: {} '{}' is no number", label, number, name, value)));
        };
        if (name == "Architecture")
            out.arch = value;
        else if (name == "Model name" && out.cpu_model.empty())
            out.cpu_model = value;
        else if (name == "Socket(s)")
            return whole(out.sockets);
        else if (name == "NUMA node(s)")
            return whole(out.nodes);
        else if (name == "Thread(s) per core")
            return whole(out.smt);
        else if (name.starts_with("NUMA node") && name.ends_with(" CPU(s)")) {
            const auto node = parse_integer<std::uint32_t>(name.substr(9, name.size() - 9 - 7));
            if (!node)
                return fail(fmt::format("{}: line {}: no number of a node", label, number));
            return add_node(out, *node, value, fmt::format("{}: line {}", label, number));
        }
        return {};
    };
    SNAPSCOPE_TRY(each_line(text, line));
    return out;
}

bool any_line_starts(std::string_view text, std::string_view with) {
    return text.starts_with(with) || text.find("\n" + std::string(with)) != std::string_view::npos;
}

Result<MachineTopology> read_any(std::string_view text, const std::string& label) {
    if (trim(text).starts_with("<?xml") || trim(text).starts_with("<topology"))
        return read_hwloc_xml(text, label);
    if (any_line_starts(text, "node ") && text.find(" cpus:") != std::string_view::npos)
        return read_numactl(text, label);
    if (any_line_starts(text, "# CPU") || any_line_starts(text, "#CPU"))
        return read_lscpu_table(text, label);
    if (text.find("Socket(s):") != std::string_view::npos || any_line_starts(text, "NUMA node"))
        return read_lscpu(text, label);
    return fail(label + " is no topology", "give what lscpu, lscpu -p, numactl -H or lstopo FILE.xml wrote");
}

void count_threads(MachineTopology& out) {
    std::map<std::uint32_t, std::uint32_t> threads;
    for (const TopologyCpu& cpu : out.cpus)
        if (cpu.core)
            ++threads[*cpu.core];
    for (const auto& [core, count] : threads)
        out.smt = std::max(out.smt.value_or(0), count);
}

} // namespace

const TopologyCpu* MachineTopology::find(std::uint32_t cpu) const {
    const auto at = std::lower_bound(cpus.begin(), cpus.end(), cpu,
                                     [](const TopologyCpu& c, std::uint32_t n) { return c.cpu < n; });
    return at != cpus.end() && at->cpu == cpu ? &*at : nullptr;
}

std::vector<Cpu> MachineTopology::host_cpus() const {
    std::vector<Cpu> out;
    for (const TopologyCpu& cpu : cpus) {
        if (!cpu.core || !cpu.node || !cpu.socket)
            return {};
        out.push_back({cpu.cpu, *cpu.core, *cpu.node, *cpu.socket, cpu.llc});
    }
    return out;
}

Result<MachineTopology> read_topology(std::string_view text, const std::string& label) {
    if (text.size() > most_topology_bytes)
        return fail(label + " is too large for a topology");
    auto out = read_any(text, label);
    if (!out)
        return out;
    std::sort(out->cpus.begin(), out->cpus.end(), [](const auto& a, const auto& b) { return a.cpu < b.cpu; });
    for (std::size_t i = 1; i < out->cpus.size(); ++i)
        if (out->cpus[i].cpu == out->cpus[i - 1].cpu)
            return fail(fmt::format("{}: CPU {} stands twice", label, out->cpus[i].cpu));
    if (out->cpus.empty())
        return fail(label + " names no CPU");
    count_threads(*out);
    if (out->host_cpus().empty())
        out->notes.push_back(label + " does not tell core, node and socket of every CPU: what it tells is used");
    return out;
}

} // namespace snapscope
