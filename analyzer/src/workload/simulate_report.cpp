#include "simulate_report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope {
namespace {

// A scan that was counted otherwise by more than this is warned about.
constexpr double lines_tolerance = 0.05;

std::string sized(std::uint64_t count, const char* noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

void put_purposes(const CoherenceCounts& counts, SimulationResult& out) {
    for (std::size_t i = 0; i < purpose_count; ++i)
        if (counts.purposes[i].accesses > 0)
            out.by_purpose.push_back({to_string(static_cast<Purpose>(i)), counts.purposes[i]});
}

void put_scan_lines(const SimulationParts& parts, SimulationResult& out) {
    const ScanLines& scans = parts.scan_lines;
    if (scans.scans > 0)
        out.lines_per_scan = static_cast<double>(scans.modelled) / static_cast<double>(scans.scans);
    // Other slots or strides read other lines: nothing to hold against the record.
    if (scans.scans_with_record == 0 || parts.options.slots != SlotPolicy::recorded || parts.options.stride_bytes)
        return;
    const auto count = static_cast<double>(scans.scans_with_record);
    out.lines_per_scan_recorded = static_cast<double>(scans.recorded) / count;
    const double modelled = static_cast<double>(scans.modelled_with_record) / count;
    if (std::abs(modelled - *out.lines_per_scan_recorded) > lines_tolerance * *out.lines_per_scan_recorded)
        out.warnings.push_back(fmt::format("a scan read {:.1f} lines of PGXACT as the server counted, and {:.1f} here: "
                                           "the model does not know all entries of the array",
                                           *out.lines_per_scan_recorded, modelled));
}

void put_assumptions(const SimulationParts& parts, SimulationResult& out) {
    const SimulateOptions& options = parts.options;
    out.assumptions.emplace_back("private caches without limit, one a core: nothing is evicted");
    out.assumptions.emplace_back("each snapshot's accesses are spread evenly over its time, eight lines at a time");
    if (!parts.arrays.assumed.empty())
        out.assumptions.push_back(fmt::format("placed on pages of their own, since no source gave their address: {}",
                                              fmt::join(parts.arrays.assumed, ", ")));
    if (options.topology.llc_assumed)
        out.assumptions.emplace_back("one last-level cache a socket: the topology does not say");
    if (options.cpus != CpuPolicy::recorded)
        out.assumptions.push_back(fmt::format("backends on CPUs: {}", to_string(options.cpus)));
    if (parts.without_residency > 0)
        out.assumptions.push_back(sized(parts.without_residency, "operation") +
                                  " of backends without a residency: on the CPU that the event names");
    if (options.slots != SlotPolicy::recorded)
        out.assumptions.push_back(fmt::format("slots: {}", to_string(options.slots)));
    if (out.mode != out.recorded_mode)
        out.assumptions.push_back(fmt::format("recorded with snapshot_cache {}, replayed as {}: who would have filled "
                                              "the copy is derived, times are as recorded, no retries, no waits",
                                              out.recorded_mode, out.mode));
    for (std::size_t i = 0; i < distance_count; ++i)
        if (!options.matrix.cycles[i] && out.total.transfers[i] + out.total.upgrades[i] > 0)
            out.assumptions.push_back(fmt::format("no cycles: {} does not say what {} costs", options.matrix.name,
                                                  to_string(static_cast<Distance>(i))));
}

void put_warnings(const SimulationParts& parts, SimulationResult& out) {
    const FoldCounts& folded = parts.folded;
    const auto warn = [&](std::uint64_t count, const char* noun, const char* rest) {
        if (count > 0)
            out.warnings.push_back(sized(count, noun) + rest);
    };
    warn(folded.foreign, "event", " of slots that the array does not have: left out");
    warn(folded.without_end, "snapshot", " without an end: left out");
    warn(folded.without_start, "snapshot", " without a start: taken to be instantaneous");
    warn(parts.hurried, "piece", " of long snapshots could not wait for their turn");
    if (!parts.run.finished)
        out.warnings.emplace_back("the run is unfinished");
}

} // namespace

void put_structures(const LineSpace& space, const CoherenceCounts& counts, SimulationResult& out) {
    const auto& regions = space.regions();
    for (const Region& region : regions)
        out.by_structure.push_back({region.name, {}});
    for (LineId line = 0; line < space.lines(); ++line) {
        const CoherenceTally& tally = counts.lines[line];
        const std::size_t region = space.region_of(line);
        out.by_structure[region].tally += tally;
        if (sum(tally.transfers) + sum(tally.upgrades) + sum(tally.prefetched) == 0)
            continue;
        const std::uint64_t address = space.address(line);
        out.by_line.push_back({regions[region].name, address,
                               (address - regions[region].address / line_bytes * line_bytes) / line_bytes, tally});
    }
    std::ranges::stable_sort(out.by_line, std::greater<>{},
                             [](const LineTally& line) { return sum(line.tally.transfers); });
    std::erase_if(out.by_structure, [](const NamedTally& row) { return row.tally.accesses == 0; });
}

std::optional<double> transfers_per_snapshot(const SimulationResult& result) {
    if (result.snapshots == 0)
        return std::nullopt;
    return static_cast<double>(sum(result.total.transfers)) / static_cast<double>(result.snapshots);
}

std::optional<double> transfers_per_snapshot(const SimulationResult& result, Distance distance) {
    if (result.snapshots == 0)
        return std::nullopt;
    return static_cast<double>(result.total.transfers[static_cast<std::size_t>(distance)]) /
           static_cast<double>(result.snapshots);
}

SimulationResult report_simulation(const SimulationParts& parts) {
    const SimulateOptions& options = parts.options;
    SimulationResult out;
    out.topology = options.topology.name;
    out.topology_source = options.topology.source;
    out.topology_words = options.topology.describe();
    out.protocol = options.protocol;
    out.prefetch = options.prefetch;
    out.recorded_mode = parts.run.server.snapshot_cache;
    out.mode = options.mode ? to_string(*options.mode) : out.recorded_mode;
    out.slots = options.slots;
    out.cpus = options.cpus;
    out.stride_bytes = parts.arrays.pgxact_stride;
    out.events = parts.folded.events;
    out.snapshots = parts.folded.snapshots;
    out.transactions = parts.folded.transactions;
    out.total = parts.counts.total();
    out.cold = parts.counts.cold;
    out.useful_prefetches = parts.counts.useful_prefetches;
    out.llcs = options.topology.llcs;
    out.between_llcs = parts.counts.between_llcs;
    out.matrix = options.matrix;
    out.entries_at_end = parts.entries;
    if (const auto cycles = cost_cycles(options.matrix, out.total); cycles && out.snapshots > 0)
        out.cycles_per_snapshot = *cycles / static_cast<double>(out.snapshots);
    put_structures(parts.lines, parts.counts, out);
    put_purposes(parts.counts, out);
    put_scan_lines(parts, out);
    put_assumptions(parts, out);
    put_warnings(parts, out);
    out.not_modelled = {
        "evictions: caches smaller than what a snapshot reads",
        "the lock's wait queue, PGPROC, XidGenLock and all lines outside of snapshots",
        "looks at entries that no event tells: whether a row's writer still runs, VACUUM, cold catalogs",
        "time: lines that overlap, queueing, how much longer a lock is held because a line is far",
        "the NUMA node of memory, and where a line's home agent or snoop filter is",
        "page sizes and address translation"};
    return out;
}

} // namespace snapscope
