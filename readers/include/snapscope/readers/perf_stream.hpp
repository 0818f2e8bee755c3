// What `perf record -o -` writes to a pipe, record by record, as it comes:
// samples of memory accesses, processes that begin and end, what was lost.
// Used by the source `hitm`.
//
// The stream is read strictly: a record that does not hold exactly what its
// event's attributes promise ends the reading with an error, and what came
// before it counts.  No more than one record is kept, so memory does not grow
// with the stream.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/readers/flat_map.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace snapscope {

// One event that perf opened, as its attributes say.
struct PerfEvent {
    std::uint64_t sample_type = 0, read_format = 0;
    std::uint64_t period_or_frequency = 0;
    bool frequency = false; // the field above is samples a second, and each sample states its period
    bool monotonic = false; // stamps are CLOCK_MONOTONIC

    // Samples of memory accesses: address and data_src.
    [[nodiscard]] bool of_memory() const;
};

// How long an event was asked for, and how long it had a counter.
struct RunningTime {
    std::uint64_t enabled_ns = 0, running_ns = 0;
};

// A field that the event does not carry is 0, where 0 is no value it can have.
struct PerfSample {
    std::uint32_t event = 0; // index of PerfStream::events()
    std::uint64_t id = 0;    // of that event on one CPU
    std::uint64_t ip = 0, address = 0, time_ns = 0;
    std::uint32_t pid = 0, tid = 0;
    std::optional<std::uint32_t> cpu;
    std::uint64_t period = 0; // events that it stands for; 0: not told
    std::uint64_t weight = 0; // cycles that the access took
    std::optional<std::uint64_t> data_src;
    std::optional<RunningTime> running;
};

class PerfVisitor {
  public:
    PerfVisitor() = default;
    PerfVisitor(const PerfVisitor&) = default;
    PerfVisitor& operator=(const PerfVisitor&) = default;
    PerfVisitor(PerfVisitor&&) = default;
    PerfVisitor& operator=(PerfVisitor&&) = default;
    virtual ~PerfVisitor() = default;

    virtual void sample(const PerfSample& sample) = 0;
    virtual void forked(std::uint32_t pid, std::uint32_t parent) = 0;
    virtual void ended(std::uint32_t pid, std::uint64_t time_ns) = 0;
    // Samples that the kernel could not store.
    virtual void lost(std::uint64_t samples) = 0;
    // The kernel held back an event that came too often.
    virtual void throttled() = 0;
    // Everything stamped before the last but one such mark has come.
    virtual void round() = 0;
    // Bytes of a trace that the processor wrote by itself (ARM's SPE).
    virtual void trace(std::uint32_t cpu, std::span<const std::byte> bytes) = 0;
};

class PerfStream {
  public:
    explicit PerfStream(PerfVisitor& visitor) : visitor_(&visitor) {}

    // The next bytes, cut anywhere.  After an error nothing more is taken.
    Status feed(std::span<const std::byte> bytes);
    // Fails where the stream ended inside a record, or before its header.
    [[nodiscard]] Status end() const;

    [[nodiscard]] const std::vector<PerfEvent>& events() const { return events_; }
    [[nodiscard]] std::uint64_t records() const { return records_; }

  private:
    // How many bytes of BYTES were used: 0 where a whole record is not there yet.
    Result<std::size_t> take(std::span<const std::byte> bytes);
    Result<std::size_t> take_header(std::span<const std::byte> bytes);
    Status record(std::uint32_t type, std::span<const std::byte> body);
    Status add_event(std::span<const std::byte> body);
    Status add_sample(std::span<const std::byte> body);
    Status add_trace(std::span<const std::byte> body);
    std::size_t take_trace(std::span<const std::byte> bytes);
    [[nodiscard]] std::optional<std::uint32_t> event_of(std::span<const std::byte> body) const;

    PerfVisitor* visitor_;
    std::vector<std::byte> rest_; // the beginning of a record
    std::vector<PerfEvent> events_;
    FlatMap<std::uint32_t> event_of_id_;
    bool all_identified_ = true; // every sample begins with its event's id
    std::uint64_t records_ = 0, offset_ = 0;
    std::uint64_t trace_left_ = 0; // bytes of a trace that stand behind its record
    std::uint32_t trace_cpu_ = 0;
    bool has_header_ = false;
};

} // namespace snapscope
