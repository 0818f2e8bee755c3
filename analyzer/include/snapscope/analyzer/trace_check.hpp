// A strict check of an exported trace (Trace Event Format, object form)
// against the rules that viewers hold.  Used by `snapscope trace check` and by
// the exporter's tests.
//
// Streams: memory grows with threads, open slices, open waits and open flows,
// not with length; each of those is capped.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// One broken rule.
struct TraceViolation {
    std::optional<std::uint64_t> event; // index in traceEvents, from 0
    std::uint64_t offset = 0;           // byte of the file
    std::string rule; // json, shape, phase, name, id, ts, dur, start, sorted, nesting, async, counter, tracks, instant,
                      // flow, metadata
    std::string message; // one line
};

struct TraceReport {
    std::uint64_t events = 0;
    std::uint64_t violations_total = 0;
    std::vector<TraceViolation> violations; // the first ones
    bool json = true;                       // false: the only violation is where the JSON breaks

    [[nodiscard]] bool valid() const { return violations_total == 0; }
};

inline constexpr std::size_t max_counter_tracks = 500;
inline constexpr std::size_t reported_violations = 20;

// Fills `data` with up to `size` bytes; 0 at the end.
using ReadBytes = std::function<Result<std::size_t>(char* data, std::size_t size)>;

// Fails only where the bytes cannot be read.
[[nodiscard]] Result<TraceReport> check_trace(const ReadBytes& read);
[[nodiscard]] Result<TraceReport> check_trace_file(const std::filesystem::path& path);

} // namespace snapscope
