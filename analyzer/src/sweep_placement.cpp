#include "sweep_placement.hpp"

#include <snapscope/analyzer/layout.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace snapscope {
namespace {

constexpr std::uint64_t period_bytes = std::uint64_t{16} << 20U;

std::optional<std::uint32_t> home_node(const MemoryPlacement& memory, const std::string& array) {
    std::map<std::uint32_t, std::size_t> pages;
    for (const HotPage& page : memory.pages)
        if (page.array == array && page.node)
            ++pages[*page.node];
    const auto most = std::ranges::max_element(pages, {}, [](const auto& entry) { return entry.second; });
    return most == pages.end() ? std::nullopt : std::optional(most->first);
}

// Of the time that backends ran on CPUs of a known node; none where nobody ran.
std::optional<double> time_share_off(std::uint32_t home, const Run& run) {
    std::map<std::uint32_t, std::uint32_t> node_of_cpu;
    for (const Cpu& cpu : run.host.cpus)
        node_of_cpu[cpu.cpu] = cpu.node;
    double all = 0, away = 0;
    for (const Slot& slot : run.slots)
        for (const CpuShare& share : slot.residency)
            if (const auto node = node_of_cpu.find(share.cpu); node != node_of_cpu.end()) {
                all += static_cast<double>(share.run_ns);
                away += node->second == home ? 0 : static_cast<double>(share.run_ns);
            }
    return all > 0 ? std::optional(away / all) : std::nullopt;
}

} // namespace

std::vector<PlacementMetric> placement_metrics(const Run& run) {
    std::vector<PlacementMetric> out;
    const Array* entries = scanned_array(run);
    const auto used = used_slots(run);
    if (entries == nullptr || !plausible(*entries) || used.empty())
        return out;
    const auto place =
        place_array(entries->name, entries->address, entries->stride_bytes, entries->entries, std::nullopt);
    const ActiveSlots active = describe_slots(place, used);
    out.push_back({"active_lines", "layout", static_cast<double>(active.lines)});
    if (!run.layout.memory || entries->address < run.layout.memory->segment_address)
        return out;
    const std::uint64_t offset = entries->address - run.layout.memory->segment_address +
                                 std::uint64_t{active.first.value_or(0)} * entries->stride_bytes;
    out.push_back({"active_offset_mod_16mib", "layout", static_cast<double>(offset % period_bytes)});
    if (const auto home = home_node(*run.layout.memory, entries->name))
        if (const auto share = time_share_off(*home, run))
            out.push_back({"other_node_time_share", "sched", *share});
    return out;
}

} // namespace snapscope
