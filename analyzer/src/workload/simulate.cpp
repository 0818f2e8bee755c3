#include "access_programs.hpp"
#include "event_fold.hpp"
#include "mode_replay.hpp"
#include "placement.hpp"
#include "simulate_report.hpp"
#include "word_model.hpp"

#include <snapscope/analyzer/sharded_model.hpp>
#include <snapscope/analyzer/simulate.hpp>
#include <snapscope/analyzer/trace_replay.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t events_at_once = 4096;
// Pieces that wait for a snapshot that is still open; beyond, the oldest go first.
constexpr std::size_t most_waiting = 1U << 20U;

constexpr std::array mode_words{"off", "copy", "spin", "lockfree"};

std::optional<CacheMode> mode_named(const std::string& name) {
    for (std::size_t i = 0; i < mode_words.size(); ++i)
        if (name == mode_words[i])
            return static_cast<CacheMode>(i);
    return std::nullopt;
}

std::uint64_t setting(const Run& run, std::string_view name) {
    for (const Setting& each : run.server.settings)
        if (each.name == name)
            return parse_integer<std::uint32_t>(each.value).value_or(0);
    return 0;
}

// Auxiliary processes have a slot, and are not in the array.
bool in_proc_array(const Run& run, const ProcArrays& arrays, std::uint32_t slot) {
    const std::uint64_t prepared = setting(run, "max_prepared_transactions");
    const std::uint64_t first_auxiliary = arrays.slots - std::min(arrays.slots, prepared + auxiliary_processes);
    return slot < first_auxiliary || slot >= first_auxiliary + auxiliary_processes;
}

std::vector<std::uint32_t> active_slots(const Run& run) {
    std::vector<std::uint32_t> out;
    for (const Slot& slot : run.slots)
        if (slot.taken.value_or(1) > 0)
            out.push_back(slot.slot);
    return out;
}

// One pass over the events, from end to end.
class Pass {
  public:
    Pass(const Run& run, const ProcArrays& arrays, const LineSpace& lines, const SimulateOptions& options,
         CacheMode recorded)
        : run_(run), arrays_(arrays), options_(options), fold_(arrays.slots, run.clock.ticks_per_ns),
          cpus_(options.topology, options.cpus, active_slots(run)), slots_(arrays, options.slots, options.seed),
          programs_(arrays, lines, options.mode.value_or(recorded) != CacheMode::off, interleaver_),
          words_(arrays.slots, options.mode.value_or(recorded) == CacheMode::lockfree),
          model_(options.topology, lines, options.protocol, options.prefetch, options.threads) {
        if (options.mode && *options.mode != recorded)
            replay_.emplace(*options.mode, arrays.slots);
        for (const Slot& slot : run.slots) {
            if (slot.pid && slot.slot < arrays.slots && in_proc_array(run, arrays, slot.slot))
                enter(slots_.place(slot.slot));
            const auto longest = std::ranges::max_element(slot.residency, {}, &CpuShare::run_ns);
            if (longest != slot.residency.end())
                cpus_.set_residency(slot.slot, longest->cpu);
        }
    }

    Status take(std::span<const EventTraceReader::Item> items) {
        for (const auto& item : items) {
            now_ns_ = item.event.time_ns;
            if (auto operation = fold_.fold(item.event))
                SNAPSCOPE_TRY(perform(*operation));
        }
        interleaver_.release(fold_.watermark(now_ns_), sink_);
        while (interleaver_.waiting() > most_waiting) {
            interleaver_.release_one(sink_);
            ++hurried_;
        }
        return {};
    }

    CoherenceCounts finish() {
        fold_.finish();
        interleaver_.release(std::numeric_limits<std::int64_t>::max(), sink_);
        return model_.finish();
    }

    [[nodiscard]] const FoldCounts& folded() const { return fold_.counts(); }
    [[nodiscard]] const AccessPrograms& programs() const { return programs_; }
    [[nodiscard]] const WordModel& words() const { return words_; }
    [[nodiscard]] std::uint64_t without_residency() const { return cpus_.without_residency(); }
    [[nodiscard]] std::uint64_t hurried() const { return hurried_; }

  private:
    void enter(std::uint32_t slot) {
        programs_.enter(slot);
        words_.enter(slot);
    }

    void perform_at(const Operation& operation, AccessPrograms::Where where) {
        programs_.run(operation, where);
        words_.run(operation, where.slot);
        if (operation.kind == OperationKind::slot_taken)
            words_.enter(where.slot);
        else if (operation.kind == OperationKind::slot_released)
            words_.leave(where.slot);
    }

    Status perform(Operation& operation) {
        if (!in_proc_array(run_, arrays_, operation.slot) &&
            (operation.kind == OperationKind::slot_taken || operation.kind == OperationKind::slot_released))
            return {};
        const auto cpu = cpus_.place(operation.slot, operation.cpu);
        if (!cpu)
            return fail(cpu.error());
        const AccessPrograms::Where where{slots_.place(operation.slot), *cpu};
        if (replay_) {
            const auto replayed = replay_->replay(operation);
            if (replayed.drop)
                return {};
            if (replayed.wipes_first) {
                Operation wipe = operation;
                wipe.kind = OperationKind::invalidation;
                perform_at(wipe, where);
            }
        }
        perform_at(operation, where);
        return {};
    }

    const Run& run_;
    const ProcArrays& arrays_;
    const SimulateOptions& options_;
    EventFold fold_;
    CpuPlacement cpus_;
    SlotPlacement slots_;
    std::optional<ModeReplay> replay_;
    Interleaver interleaver_;
    AccessPrograms programs_;
    WordModel words_;
    ShardedModel model_;
    struct Sink {
        ShardedModel& model;
        void operator()(const Access& access) const { model.add(access); }
    } sink_{model_};
    std::int64_t now_ns_ = 0;
    std::uint64_t hurried_ = 0;
};

} // namespace

const char* to_string(CacheMode mode) {
    return mode_words.at(static_cast<std::size_t>(mode));
}

const char* to_string(SlotPolicy policy) {
    constexpr std::array words{"recorded", "scattered", "contiguous", "spread"};
    return words.at(static_cast<std::size_t>(policy));
}

const char* to_string(CpuPolicy policy) {
    constexpr std::array words{"recorded", "residency", "round-robin", "packed"};
    return words.at(static_cast<std::size_t>(policy));
}

Result<SimulationResult> simulate(const Run& run, const EventPull& events, const SimulateOptions& options) {
    const auto recorded = mode_named(run.server.snapshot_cache);
    if (!recorded)
        return fail("the run does not say which snapshot_cache it was recorded with",
                    "the access programs are those of the patched 13");
    auto arrays = proc_arrays_of(run);
    if (!arrays)
        return fail(arrays.error());
    if (options.stride_bytes)
        arrays->pad_entries(*options.stride_bytes);
    if (options.slots != SlotPolicy::recorded && arrays->max_connections == 0)
        return fail("the run does not say max_connections, so there is nothing to place slots in",
                    "--placement recorded");
    const auto lines = LineSpace::create(AccessPrograms::regions(*arrays));
    if (!lines)
        return fail("the run's layout contradicts itself: " + lines.error().what);

    Pass pass(run, *arrays, *lines, options, *recorded);
    std::vector<EventTraceReader::Item> items(events_at_once);
    for (;;) {
        const auto got = events(items);
        if (!got)
            return fail(got.error());
        if (*got == 0)
            break;
        if (options.stop != nullptr && options.stop->load())
            return fail("interrupted");
        SNAPSCOPE_TRY(pass.take(std::span(items).first(*got)));
    }
    const CoherenceCounts counts = pass.finish();
    auto result = report_simulation({run, *arrays, *lines, options, counts, pass.folded(), pass.programs().scan_lines(),
                                     pass.programs().entries(), pass.without_residency(), pass.hurried()});
    result.lock_word = pass.words().lock();
    result.entry_words = pass.words().entries();
    return result;
}

Result<SimulationResult> simulate_folder(const Run& run, const std::filesystem::path& folder,
                                         const SimulateOptions& options) {
    if (const auto accesses = folder / access_trace_file; std::filesystem::exists(accesses)) {
        const auto trace = read_access_trace(accesses);
        return trace ? replay_trace(run, *trace, options) : fail(trace.error());
    }
    if (!run.events)
        return fail("the run has no events, and the model runs on nothing else",
                    "record it with --events, or try --synthetic");
    const auto has = [&](const char* name) {
        return std::ranges::any_of(run.sources,
                                   [&](const SourceStatus& row) { return row.name == name && row.records > 0; });
    };
    const EventSource source = has("ring") || !has("ebpf") ? EventSource::ring : EventSource::ebpf;
    auto reader = EventTraceReader::open(folder / "events");
    if (!reader)
        return fail(reader.error());
    const EventPull pull = [&](std::span<EventTraceReader::Item> items) -> Result<std::size_t> {
        for (;;) {
            const auto got = reader->read(items);
            if (!got || *got == 0)
                return got;
            const auto kept = std::remove_if(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(*got),
                                             [&](const auto& item) { return item.source != source; });
            if (kept != items.begin())
                return static_cast<std::size_t>(kept - items.begin());
        }
    };
    auto result = simulate(run, pull, options);
    if (!result)
        return result;
    result->lost = reader->lost(source);
    if (result->lost > 0)
        result->warnings.push_back(
            fmt::format("{} events were lost while recording: what they did is not in here", result->lost));
    if (reader->truncated())
        result->warnings.emplace_back("the events are cut off");
    if (result->events == 0)
        return fail("the run has no events of a snapshot", "record it with --events while the server is at work");
    return result;
}

} // namespace snapscope
