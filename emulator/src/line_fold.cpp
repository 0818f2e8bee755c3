#include <snapscope/emulator/line_fold.hpp>

#include <algorithm>

namespace snapscope::emulator {
namespace {

constexpr std::uint64_t bit(std::uint32_t core) {
    return std::uint64_t{1} << core;
}

} // namespace

LineFold::LineFold(const Topology& topology, std::size_t lines)
    : topology_(topology), cpu_of_core_(topology.cores), lines_(lines) {
    for (std::size_t cpu = 0; cpu < topology.cpus.size(); ++cpu) {
        core_of_cpu_.push_back(topology.cpus[cpu].core);
        cpu_of_core_[topology.cpus[cpu].core] = static_cast<std::uint32_t>(cpu);
    }
}

Distance LineFold::distance(std::uint32_t a, std::uint32_t b) const {
    return topology_.distance(cpu_of_core_[a], cpu_of_core_[b]);
}

std::optional<std::uint32_t> LineFold::supplier(const Line& line, std::uint32_t core) const {
    if (line.owner)
        return line.owner;
    for (std::uint32_t other = 0; other < cpu_of_core_.size(); ++other)
        if ((line.holders & bit(other)) != 0 && distance(core, other) == Distance::same_llc)
            return other;
    return line.forwarder;
}

AccessOutcome LineFold::access(std::uint32_t index, std::uint8_t cpu, TracedKind kind) {
    Line& line = lines_[index];
    const std::uint32_t core = core_of_cpu_[cpu];
    const bool held = (line.holders & bit(core)) != 0;
    AccessOutcome out;
    if (!held) {
        const auto from = supplier(line, core);
        out.fetch = from ? distance(core, *from) : Distance::from_memory;
        if (from)
            out.supplier = topology_.cpus[cpu_of_core_[*from]].socket;
    }
    out.cross_socket = out.fetch == Distance::cross_socket;
    if (kind == TracedKind::read) {
        if (!held) {
            line.owner = line.holders == 0 ? std::optional(core) : std::nullopt;
            line.forwarder = line.owner ? std::nullopt : std::optional(core);
            line.holders |= bit(core);
        }
        return out;
    }
    for (std::uint32_t other = 0; other < cpu_of_core_.size(); ++other) {
        if (other == core || (line.holders & bit(other)) == 0)
            continue;
        ++out.invalidated;
        const Distance away = distance(core, other);
        out.cross_socket = out.cross_socket || away == Distance::cross_socket;
        if (held)
            out.upgrade = out.upgrade ? std::max(*out.upgrade, away) : away;
    }
    line = {bit(core), core, std::nullopt};
    return out;
}

} // namespace snapscope::emulator
