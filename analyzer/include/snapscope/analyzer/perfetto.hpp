// The event trace and the time series of a run as Trace Event JSON, which
// ui.perfetto.dev opens.  Used by `snapscope export --format perfetto`.
//
// A stream: memory holds what overlaps the oldest snapshot still open (capped)
// and a few words a slot, whatever the length.  Sorted by ts, closed also when
// it is stopped or its input breaks.
//
// Process = server, thread = backend.  X "snapshot" = SNAPSHOT_START to
// SNAPSHOT_DONE of a slot.  Waits and rebuilds carry their duration but are
// stamped at the end of their snapshot: they are drawn one after the other from
// its start, so their length is measured and their place is not.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/event_trace.hpp>
#include <snapscope/recording/run.hpp>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace snapscope {

// Events merged by time, as EventTraceReader gives them.
class EventStream {
  public:
    using Item = EventTraceReader::Item;
    EventStream() = default;
    EventStream(const EventStream&) = delete;
    EventStream& operator=(const EventStream&) = delete;
    EventStream(EventStream&&) = delete;
    EventStream& operator=(EventStream&&) = delete;
    virtual ~EventStream() = default;
    [[nodiscard]] virtual Result<std::optional<Item>> next() = 0;
    // Final after the end.
    [[nodiscard]] virtual std::uint64_t lost(EventSource source) const = 0;
    [[nodiscard]] virtual bool truncated() const = 0;
};

// The events/ folder of a run.
[[nodiscard]] Result<std::unique_ptr<EventStream>> open_event_stream(const std::filesystem::path& events_folder);

// Reads up to the first ring event: ring where there is one, else ebpf.
[[nodiscard]] Result<EventSource> preferred_source(EventStream& events);

struct PerfettoOptions {
    std::string tool;                                  // e.g. "snapscope 0.1.0"
    const std::atomic<bool>* stop = nullptr;           // asks to close early
    std::size_t pending_limit = std::size_t{1} << 17U; // events held back for the order of time
};

struct PerfettoResult {
    std::uint64_t written = 0; // trace events, metadata included
    std::uint64_t snapshots = 0;
    std::uint64_t lost = 0;             // records of the drawn source that were lost
    std::optional<std::string> problem; // why it is not complete: interrupted, or an error of the input
};

using WriteBytes = std::function<Status(std::string_view)>;

// `events` may be null: counters alone.  Only events of `source` are drawn.
// Fails only where `write` does.
[[nodiscard]] Result<PerfettoResult> write_perfetto(const Run& run, EventStream* events, EventSource source,
                                                    const WriteBytes& write, const PerfettoOptions& options);

} // namespace snapscope
