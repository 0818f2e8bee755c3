// Debian's perf as the source `hitm` runs it: which events sample memory
// accesses on this processor, by perf's own knowledge of it, and the command
// line.  Pure but for memory_events().
#pragma once

#include <snapscope/base/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// The events in what `perf mem record -v -e list` prints: Intel's load latency
// (with its auxiliary event where the processor wants one) and stores, AMD's
// IBS, ARM's SPE.  Empty: none is available.
[[nodiscard]] std::vector<std::string> parse_memory_events(std::string_view list);

// The same event with every sample stating how long it had a counter, so that
// multiplexing can be scaled; unchanged where the processor writes samples by itself (SPE).
[[nodiscard]] std::string with_running_time(const std::string& event);

// perf record, system-wide, to stdout: frequency samples a second and CPU.
[[nodiscard]] std::vector<std::string> perf_arguments(const std::string& perf, std::vector<std::string> events,
                                                      int frequency, bool running_time);

// Asks PERF.  Class unavailable, in perf's own words, where the processor (or the
// virtual machine) samples no memory accesses.
[[nodiscard]] Result<std::vector<std::string>> memory_events(const std::string& perf);

} // namespace snapscope
