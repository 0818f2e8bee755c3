#include "simulate_report.hpp"

#include <snapscope/analyzer/trace_replay.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::uint32_t snapshot_mark = 0;

Result<LineSpace> space_of(const AccessTrace& trace) {
    std::vector<Region> regions;
    for (const TracedRange& range : trace.ranges)
        regions.push_back({range.name, range.address, range.bytes});
    return LineSpace::create(std::move(regions));
}

std::optional<LineId> line_at(const LineSpace& space, std::uint64_t address) {
    for (std::size_t i = 0; i < space.regions().size(); ++i) {
        const Region& region = space.regions()[i];
        const std::uint64_t from = std::max(address, region.address);
        if (from < address + line_bytes && from < region.address + region.bytes)
            return space.line(i, from - region.address);
    }
    return std::nullopt;
}

// The trace's own numbers of lines into those of SPACE.
Result<std::vector<LineId>> lines_of(const AccessTrace& trace, const LineSpace& space) {
    std::vector<LineId> out;
    for (const std::uint64_t address : trace.lines) {
        const auto line = line_at(space, address);
        if (!line)
            return fail(fmt::format("the trace has a line at {:#x}, which is in none of its structures", address));
        out.push_back(*line);
    }
    return out;
}

AccessKind kind_of(TracedKind kind) {
    switch (kind) {
    case TracedKind::read:
        return AccessKind::read;
    case TracedKind::write:
        return AccessKind::write;
    default:
        return AccessKind::locked;
    }
}

Status check_options(const AccessTrace& trace, const SimulateOptions& options) {
    if (options.mode || options.slots != SlotPolicy::recorded || options.stride_bytes ||
        options.cpus != CpuPolicy::recorded)
        return fail("a trace of accesses is replayed as it was recorded",
                    "--mode, --placement, --cpus and --stride need a run with events", ErrorClass::usage);
    for (const TracedAccess& access : trace.accesses)
        if (access.cpu >= options.topology.cpus.size())
            return fail(fmt::format("the trace names the CPU {}, which {} lacks", access.cpu, options.topology.name),
                        fmt::format("--topology {}", trace.topology), ErrorClass::usage);
    return {};
}

// One pass; nothing before the window is counted, so the model is asked twice.
class Replay {
  public:
    Replay(const AccessTrace& trace, const LineSpace& space, std::vector<LineId> lines, const SimulateOptions& options)
        : trace_(trace), lines_(std::move(lines)),
          model_(make_coherence_model(options.topology, space, options.protocol, options.prefetch)) {}

    CoherenceCounts run(SimulationResult& out) {
        feed(0, trace_.window_begin, nullptr);
        const CoherenceCounts before = model_->counts();
        feed(trace_.window_begin, trace_.window_end, &out);
        return difference(model_->counts(), before);
    }

  private:
    void feed(std::uint64_t from, std::uint64_t to, SimulationResult* out) {
        for (std::uint64_t i = from; i < to; ++i) {
            const TracedAccess& entry = trace_.accesses[i];
            if (entry.kind == TracedKind::mark) {
                if (out != nullptr && entry.target == snapshot_mark)
                    ++out->snapshots;
                continue;
            }
            const Access access{lines_[entry.target], entry.cpu, kind_of(entry.kind), 0};
            model_->run({&access, 1});
            if (out != nullptr)
                ++out->events;
        }
    }

    static void subtract(CoherenceTally& from, const CoherenceTally& what) {
        from.accesses -= what.accesses;
        from.writes -= what.writes;
        from.invalidated -= what.invalidated;
        for (std::size_t i = 0; i < distance_count; ++i) {
            from.transfers[i] -= what.transfers[i];
            from.upgrades[i] -= what.upgrades[i];
            from.prefetched[i] -= what.prefetched[i];
        }
    }

    static CoherenceCounts difference(CoherenceCounts all, const CoherenceCounts& before) {
        for (std::size_t i = 0; i < all.lines.size(); ++i)
            subtract(all.lines[i], before.lines[i]);
        for (std::size_t i = 0; i < all.between_llcs.size(); ++i)
            all.between_llcs[i] -= before.between_llcs[i];
        all.cold -= before.cold;
        all.useful_prefetches -= before.useful_prefetches;
        return all;
    }

    const AccessTrace& trace_;
    std::vector<LineId> lines_;
    std::unique_ptr<CoherenceModel> model_;
};

void describe(const Run& run, const AccessTrace& trace, const SimulateOptions& options, SimulationResult& out) {
    out.load = fmt::format("every access that an emulated {} recorded, with a barrier of {} instructions",
                           trace.topology, trace.barrier_instructions);
    out.topology = options.topology.name;
    out.topology_source = options.topology.source;
    out.topology_words = options.topology.describe();
    out.protocol = options.protocol;
    out.prefetch = options.prefetch;
    out.recorded_mode = out.mode = run.server.snapshot_cache;
    out.stride_bytes = pgxact_bytes;
    out.llcs = options.topology.llcs;
    out.matrix = options.matrix;
    out.assumptions = {"private caches without limit, one a core: nothing is evicted",
                       "the order is that of the emulated machine, whose CPUs wait for each other at each barrier",
                       "accesses of a CPU to a line between which nobody else touched it count once"};
    out.not_modelled = {"evictions: caches smaller than what a snapshot reads",
                        "time: lines that overlap, queueing, how much longer a lock is held because a line is far"};
}

} // namespace

Result<SimulationResult> replay_trace(const Run& run, const AccessTrace& trace, const SimulateOptions& options) {
    SNAPSCOPE_TRY(check_options(trace, options));
    const auto space = space_of(trace);
    if (!space)
        return fail("the trace's structures contradict each other: " + space.error().what);
    auto lines = lines_of(trace, *space);
    if (!lines)
        return fail(lines.error());
    SimulationResult out;
    describe(run, trace, options, out);
    const CoherenceCounts counts = Replay(trace, *space, std::move(*lines), options).run(out);
    out.total = counts.total();
    out.cold = counts.cold;
    out.useful_prefetches = counts.useful_prefetches;
    out.between_llcs = counts.between_llcs;
    put_structures(*space, counts, out);
    if (const auto cycles = cost_cycles(options.matrix, out.total); cycles && out.snapshots > 0)
        out.cycles_per_snapshot = *cycles / static_cast<double>(out.snapshots);
    return out;
}

} // namespace snapscope
