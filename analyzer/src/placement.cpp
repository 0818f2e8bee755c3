#include "json_values.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/analyzer/placement.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace snapscope {
namespace {

using nlohmann::json;

constexpr const char* source_name = "sched";

struct Level {
    const char* by;
    std::optional<std::uint32_t> (*group)(const Cpu&);
};
constexpr std::array<Level, 3> levels{{{"llc", [](const Cpu& cpu) { return cpu.llc; }},
                                       {"node", [](const Cpu& cpu) { return std::optional(cpu.node); }},
                                       {"socket", [](const Cpu& cpu) { return std::optional(cpu.socket); }}}};

using Cpus = std::map<std::uint32_t, Cpu>;

std::size_t group_count(const Cpus& cpus, const Level& level) {
    std::set<std::optional<std::uint32_t>> groups;
    for (const auto& [number, cpu] : cpus)
        groups.insert(level.group(cpu));
    groups.erase(std::nullopt);
    return groups.size();
}

// Unknown comes last: optional orders it first.
LevelTime time_by(const Level& level, const std::vector<CpuShare>& residency, const Cpus& cpus) {
    std::map<std::optional<std::uint32_t>, std::int64_t> sums;
    std::int64_t all = 0;
    for (const CpuShare& share : residency) {
        const auto cpu = cpus.find(share.cpu);
        sums[cpu == cpus.end() ? std::nullopt : level.group(cpu->second)] += share.run_ns;
        all += share.run_ns;
    }
    LevelTime out;
    out.by = level.by;
    out.groups = group_count(cpus, level);
    for (const auto& [group, ran] : sums)
        out.times.push_back({group ? std::to_string(*group) : "unknown", ran,
                             all > 0 ? static_cast<double>(ran) / static_cast<double>(all) : 0});
    if (sums.contains(std::nullopt))
        std::ranges::rotate(out.times, out.times.begin() + 1);
    return out;
}

std::vector<LevelTime> all_levels(const std::vector<CpuShare>& residency, const Cpus& cpus) {
    std::vector<LevelTime> out;
    for (const Level& level : levels)
        out.push_back(time_by(level, residency, cpus));
    return out;
}

json of(const Moves& moves) {
    return {{"total", or_null(moves.all)},
            {"across_llc", or_null(moves.across_llc)},
            {"across_node", or_null(moves.across_node)},
            {"across_socket", or_null(moves.across_socket)}};
}

json of(const std::vector<LevelTime>& rows) {
    json out = json::object();
    for (const LevelTime& level : rows) {
        json times = json::array();
        for (const GroupTime& time : level.times)
            times.push_back({{"group", time.group}, {"run_ns", time.run_ns}, {"share", time.share}});
        out[level.by] = {{"groups", level.groups}, {"times", times}};
    }
    return out;
}

} // namespace

Placement placement(const Run& run) {
    Placement out;
    const SourceStatus* status = find_source(run, source_name);
    if (status == nullptr || status->state == SourceState::unavailable)
        return out;
    out.source = source_name;
    out.moves = {total(run, "migrations", source_name), total(run, "migrations_across_llc", source_name),
                 total(run, "migrations_across_node", source_name),
                 total(run, "migrations_across_socket", source_name)};
    Cpus cpus;
    for (const Cpu& cpu : run.host.cpus)
        cpus[cpu.cpu] = cpu;
    std::vector<CpuShare> all;
    for (const Slot& slot : run.slots) {
        if (slot.residency.empty())
            continue;
        all.insert(all.end(), slot.residency.begin(), slot.residency.end());
        out.slots.push_back({slot.slot,
                             slot.pid,
                             all_levels(slot.residency, cpus),
                             {slot.migrations, slot.migrations_across_llc, slot.migrations_across_node,
                              slot.migrations_across_socket}});
    }
    if (!all.empty())
        out.levels = all_levels(all, cpus);
    return out;
}

json to_json(const Placement& placement) {
    if (placement.source.empty())
        return nullptr;
    json slots = json::array();
    for (const SlotPlacement& slot : placement.slots)
        slots.push_back({{"slot", slot.slot},
                         {"pid", or_null(slot.pid)},
                         {"migrations", of(slot.moves)},
                         {"residency", of(slot.levels)}});
    return {{"source", placement.source},
            {"migrations", of(placement.moves)},
            {"residency", of(placement.levels)},
            {"slots", slots}};
}

} // namespace snapscope
