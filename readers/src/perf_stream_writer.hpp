// Writes what perf record writes to a pipe: for tests, fuzzers' seeds, replay
// programs and the benchmark.  perf script reads it, too.
#pragma once

#include <snapscope/readers/perf_stream.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace snapscope::test {

struct WrittenEvent {
    bool frequency = true;    // samples state their period
    bool running_time = true; // and how long the event had a counter
    bool monotonic = true;
    std::uint64_t period_or_frequency = 1000;
};

class PerfStreamWriter {
  public:
    // Begins with the header and the EVENTS' attributes.
    explicit PerfStreamWriter(std::vector<WrittenEvent> events = {WrittenEvent{}});

    // Of events[sample.event]; address and data_src always.
    void sample(const PerfSample& sample);
    void forked(std::uint32_t pid, std::uint32_t parent);
    void ended(std::uint32_t pid, std::uint64_t time_ns);
    void lost(std::uint64_t samples);
    void round();
    void trace(std::uint32_t cpu, std::string_view bytes);
    // Any record: TYPE and its body.
    void record(std::uint32_t type, std::string_view body);

    [[nodiscard]] const std::string& bytes() const { return bytes_; }
    // What was written since the last call.
    [[nodiscard]] std::string take();

  private:
    std::vector<WrittenEvent> events_;
    std::vector<std::uint64_t> counts_; // of each event, so far
    std::string bytes_;
};

} // namespace snapscope::test
