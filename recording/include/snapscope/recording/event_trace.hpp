// The event trace of a run: the folder events/, a CTF 1.8 trace that
// babeltrace2 and Trace Compass open as it is.
//
// One stream file a source and slot (events/ring-00042), created when the slot
// has its first event.  A file is a sequence of packets; every packet states
// its begin and end time, how many events of this slot were lost before its
// end (cumulative, as CTF's events_discarded), and its true size, so that a
// trace that was cut off reads up to its last whole packet.  Within a slot
// time never goes backwards: the collector clamps and counts.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/event.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace snapscope {

// What the trace's metadata says about the whole trace.
struct EventTraceInfo {
    std::string run_id; // 32 hex digits; becomes the trace's UUID
    std::string host;   // any bytes; escaped on the way out
    std::string server_version;
    std::uint32_t postmaster_pid = 0;
    std::int64_t wall_offset_ns = 0; // wall clock minus CLOCK_MONOTONIC
};

class EventTraceWriter {
  public:
    // Creates FOLDER (0700) and its metadata; fails when it exists.
    static Result<EventTraceWriter> create(const std::filesystem::path& folder, const EventTraceInfo& info);
    // Keeps nothing: for who only wants what events say in numbers.
    static EventTraceWriter discarding();
    EventTraceWriter(EventTraceWriter&&) noexcept;
    EventTraceWriter& operator=(EventTraceWriter&&) noexcept;
    EventTraceWriter(const EventTraceWriter&) = delete;
    EventTraceWriter& operator=(const EventTraceWriter&) = delete;
    ~EventTraceWriter();

    // Appends the events of one slot in time order, as one or more whole
    // packets; `lost` is the slot's cumulative count of lost events.  A burst
    // that was lost whole is appended with an empty span (where the slot has no
    // event yet it is written with the slot's next packet, or by finish()).
    // Time that goes backwards in a slot, or a count that does, is an error and
    // writes nothing.  An error of the disk leaves the packets before it.
    Status append(EventSource source, std::uint32_t slot, std::span<const Event> events, std::uint64_t lost);

    // From here on `lost` counts from 0 again, for every slot: who counts is another.
    void count_anew();

    // Everything on disk; the writer is spent.
    Status finish();

  private:
    struct State;
    explicit EventTraceWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_; // none: keeps nothing
};

// Reads all streams of a trace merged by time (ties: source, then slot), with
// memory bounded by one packet a stream.
class EventTraceReader {
  public:
    static Result<EventTraceReader> open(const std::filesystem::path& folder);
    EventTraceReader(EventTraceReader&&) noexcept;
    EventTraceReader& operator=(EventTraceReader&&) noexcept;
    EventTraceReader(const EventTraceReader&) = delete;
    EventTraceReader& operator=(const EventTraceReader&) = delete;
    ~EventTraceReader();

    struct Item {
        EventSource source = EventSource::ring;
        Event event;
    };
    // The next event, or nullopt at the end; an error names file and offset.
    Result<std::optional<Item>> next();
    // The next events, as many as there are and fit; 0 at the end.  What a
    // reader of many events uses.  After an error the reader is spent.
    Result<std::size_t> read(std::span<Item> items);

    // Final after next() gave nullopt.
    [[nodiscard]] std::uint64_t lost(EventSource source) const;
    [[nodiscard]] bool truncated() const; // a stream ended inside a packet
    [[nodiscard]] const EventTraceInfo& info() const;

  private:
    friend Status check_event_trace(const std::filesystem::path& folder);
    struct State;
    explicit EventTraceReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Whether the trace in FOLDER is whole: every stream a sequence of whole
// packets.  Looks at the packets' heads, not at each event; the error names the
// file.  For a trace that nobody writes any more.
[[nodiscard]] Status check_event_trace(const std::filesystem::path& folder);

// How many events of SOURCE the trace in FOLDER holds; reads them all.
[[nodiscard]] Result<std::uint64_t> count_events(const std::filesystem::path& folder, EventSource source);

} // namespace snapscope
