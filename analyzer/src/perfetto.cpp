#include "slot_events.hpp"
#include "trace_counters.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/analyzer/perfetto.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using nlohmann::json;

constexpr std::uint32_t unknown_server = (1U << 30U) - 1;
constexpr std::uint64_t events_between_looks = 4096; // at the stop flag

// Writes {"traceEvents":[...],...} piece by piece.
class Document {
  public:
    explicit Document(const WriteBytes& write) : write_(write) {}
    Status begin() { return write_("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n"); }
    Status event(std::string_view text) {
        if (written_++ > 0)
            SNAPSCOPE_TRY(write_(",\n"));
        return write_(text);
    }
    Status end(const json& about) {
        const std::string text = about.dump(-1, ' ', true, json::error_handler_t::replace);
        return write_(fmt::format("\n],\n\"otherData\":{},\n\"metadata\":{}}}\n", text, text));
    }
    [[nodiscard]] std::uint64_t written() const { return written_; }

  private:
    const WriteBytes& write_;
    std::uint64_t written_ = 0;
};

class Exporter {
  public:
    Exporter(const Run& run, EventStream* events, EventSource source, const WriteBytes& write,
             const PerfettoOptions& options)
        : run_(run), events_(events), source_(source), options_(options), document_(write),
          order_([this](std::string_view text) { return document_.event(text); }) {}

    Result<PerfettoResult> run() {
        auto first = next_event();
        find_epoch(first);
        process_ = run_.server.pid != 0 ? run_.server.pid : unknown_server;
        SNAPSCOPE_TRY(document_.begin());
        SNAPSCOPE_TRY(head());
        TraceCounters counters(run_, process_, epoch_ns_);
        SlotEvents slots(run_, process_, epoch_ns_, order_,
                         [this](std::string_view text) { return document_.event(text); });
        for (; first; first = next_event()) {
            SNAPSCOPE_TRY(add_counters(counters, std::max(first->time_ns, epoch_ns_) - epoch_ns_));
            SNAPSCOPE_TRY(slots.event(*first));
            SNAPSCOPE_TRY(order_.release(slots.watermark(first->time_ns)));
            while (order_.pending() > options_.pending_limit && slots.give_up_oldest())
                SNAPSCOPE_TRY(order_.release(slots.watermark(first->time_ns)));
        }
        slots.finish();
        SNAPSCOPE_TRY(add_counters(counters, std::numeric_limits<std::int64_t>::max()));
        SNAPSCOPE_TRY(order_.finish());
        const DrawingCounts& counts = slots.counts();
        const json about_trace = about(counts);
        SNAPSCOPE_TRY(document_.end(about_trace));
        return PerfettoResult{document_.written(), counts.snapshots, events_ != nullptr ? events_->lost(source_) : 0,
                              problem_};
    }

  private:
    // The next event of the source; nullopt at the end, when asked to stop and
    // when the input breaks.
    std::optional<Event> next_event() {
        while (events_ != nullptr) {
            if (options_.stop != nullptr && seen_++ % events_between_looks == 0 && options_.stop->load()) {
                problem_ = "interrupted";
                return std::nullopt;
            }
            const auto item = events_->next();
            if (!item) {
                problem_ = item.error().message();
                return std::nullopt;
            }
            if (!*item)
                break;
            if ((*item)->source == source_)
                return (*item)->event;
        }
        if (events_ != nullptr && events_->truncated())
            problem_ = "the event trace was cut off";
        return std::nullopt;
    }

    // Everything in the trace lies at or after it.
    void find_epoch(const std::optional<Event>& first) {
        std::optional<std::int64_t> epoch;
        const auto consider = [&](std::int64_t ns) { epoch = epoch ? std::min(*epoch, ns) : ns; };
        if (run_.clock.start_ns > 0)
            consider(run_.clock.start_ns);
        if (first)
            consider(first->time_ns);
        for (const std::int64_t start : run_.windows.start_ns)
            consider(start);
        epoch_ns_ = std::max<std::int64_t>(0, epoch.value_or(0)); // CLOCK_MONOTONIC is never negative
    }

    Status head() {
        const TraceThread process{process_, process_};
        const std::string name = fmt::format("PostgreSQL {} (postmaster {})", run_.server.version,
                                             run_.server.pid != 0 ? std::to_string(run_.server.pid) : "of unknown pid");
        SNAPSCOPE_TRY(document_.event(metadata_json(process, "process_name", TraceArgs().text("name", name))));
        return document_.event(process_instant_json(process_, "trace begins", 0,
                                                    TraceArgs().text("snapshot_cache", run_.server.snapshot_cache)));
    }

    // Windows that begin up to `ts`.
    Status add_counters(TraceCounters& counters, std::int64_t ts) {
        for (auto next = counters.next(); next && *next <= ts; next = counters.next())
            for (std::string& text : counters.take())
                order_.add(*next, 0, std::move(text));
        return {};
    }

    json about(const DrawingCounts& counts) const {
        const char* const name = source_ == EventSource::ring ? "ring" : "ebpf";
        const SourceStatus* status = find_source(run_, name);
        json lost = json::object();
        for (const SourceStatus& source : run_.sources)
            if (source.state != SourceState::unavailable)
                lost[source.name] = source.lost;
        return {{"tool", options_.tool},
                {"run_id", run_.id},
                {"run_finished", run_.finished},
                {"epoch_clock", "CLOCK_MONOTONIC"},
                {"epoch_monotonic_ns", epoch_ns_},
                {"run_start_monotonic_ns", run_.clock.start_ns},
                {"run_start_wall", run_.clock.wall_start},
                {"host", run_.host.name},
                {"server_version", run_.server.version},
                {"snapshot_cache", run_.server.snapshot_cache},
                {"event_source", events_ != nullptr ? json(name) : json()},
                {"event_kind", status != nullptr ? json(to_string(status->kind)) : json()},
                {"events_lost", events_ != nullptr ? json(events_->lost(source_)) : json()},
                {"lost", lost},
                {"complete", !problem_.has_value()},
                {"problem", problem_ ? json(*problem_) : json()},
                {"snapshots", counts.snapshots},
                {"snapshots_without_start", counts.without_start},
                {"snapshots_without_end", counts.without_end},
                {"snapshots_too_long_for_a_slice", counts.too_long},
                {"snapshots_overlapping", counts.overlapping},
                {"waits_and_rebuilds_moved", counts.moved},
                {"events_not_drawn", counts.not_drawn},
                {"waits_and_rebuilds", "the length is measured; the place inside of the snapshot is not"}};
    }

    const Run& run_;
    EventStream* events_;
    EventSource source_;
    const PerfettoOptions& options_;
    Document document_;
    TraceOrder order_;
    std::uint32_t process_ = 0;
    std::int64_t epoch_ns_ = 0;
    std::uint64_t seen_ = 0;
    std::optional<std::string> problem_;
};

} // namespace

Result<PerfettoResult> write_perfetto(const Run& run, EventStream* events, EventSource source, const WriteBytes& write,
                                      const PerfettoOptions& options) {
    return Exporter(run, events, source, write, options).run();
}

} // namespace snapscope
