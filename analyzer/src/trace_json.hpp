// Trace events as JSON text.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace snapscope {

// The entries of args, in order.
class TraceArgs {
  public:
    TraceArgs& number(std::string_view key, std::uint64_t value);
    TraceArgs& number(std::string_view key, double value); // finite
    TraceArgs& text(std::string_view key, std::string_view value);
    TraceArgs& flag(std::string_view key, bool value);
    [[nodiscard]] std::string json() const { return "{" + entries_ + "}"; }

  private:
    std::string& add(std::string_view key);
    std::string entries_;
};

// Who an event belongs to.
struct TraceThread {
    std::uint32_t pid = 0;
    std::uint32_t tid = 0;
};

// One event each, without separator.  Times in ns since the trace's epoch.
[[nodiscard]] std::string slice_json(TraceThread at, std::string_view name, std::int64_t ts, std::int64_t dur,
                                     const TraceArgs& args);
[[nodiscard]] std::string instant_json(TraceThread at, std::string_view name, std::int64_t ts, const TraceArgs& args);
// Scope p: the whole process.
[[nodiscard]] std::string process_instant_json(std::uint32_t pid, std::string_view name, std::int64_t ts,
                                               const TraceArgs& args);
// Phase b or e.
[[nodiscard]] std::string async_json(char phase, TraceThread at, std::string_view category, std::uint64_t id,
                                     std::string_view name, std::int64_t ts, const TraceArgs& args);
[[nodiscard]] std::string counter_json(std::uint32_t pid, std::string_view name, std::int64_t ts,
                                       const TraceArgs& args);
// NAME is one of the four that viewers read.
[[nodiscard]] std::string metadata_json(TraceThread at, std::string_view name, const TraceArgs& args);

// ns -> "12.345" (microseconds)
[[nodiscard]] std::string fixed_microseconds(std::int64_t ns);

} // namespace snapscope
