// Samples as `perf script` prints them: memory samples (perf mem, perf c2c)
// with address and data_src, or plain ones (cycles, cpu-clock) with a function.
// Used by `import perf-script`.  Aggregated while reading: memory does not grow
// with the number of samples, only with that of lines, functions and CPUs.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/readers/data_src.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// Samples of one place; the sums of their periods estimate how many events
// they stand for.
struct SampleCounts {
    std::uint64_t samples = 0, hitm_local = 0, hitm_remote = 0, hitm_unplaced = 0; // unplaced: near or far is not told
    double period_local = 0, period_remote = 0;

    [[nodiscard]] std::uint64_t hitm() const { return hitm_local + hitm_remote + hitm_unplaced; }
};

struct PerfScript {
    std::uint64_t samples = 0, memory_samples = 0, loads = 0, stores = 0;
    std::uint64_t load_misses = 0; // loads that the L1 did not answer
    std::uint64_t snoop_told = 0;  // memory samples whose snoop field is not N/A
    SampleCounts all;
    std::map<std::uint64_t, SampleCounts> by_line;    // address & ~63, of HITM alone
    std::map<std::uint64_t, SampleCounts> by_address; // the same by the address itself
    std::map<std::string, SampleCounts> by_function;  // "?" where perf had no name
    std::map<std::uint32_t, SampleCounts> by_cpu;
    std::optional<double> first_s, last_s; // perf's clock
    bool has_period = false;               // every sample that counts stated one
    std::uint64_t lines_lost = 0;          // lines that are no sample, or cut
    std::uint64_t contradictions = 0;      // data_src whose words are not what its bits say
    std::vector<std::string> notes;

    // Loads missed, not one HITM: this processor reports none.
    [[nodiscard]] bool reports_no_hitm() const { return load_misses > 0 && all.hitm() == 0; }
};

// Fails where no line is a sample.  Lines of call chains, comments and blank
// lines are passed over.
[[nodiscard]] Result<PerfScript> read_perf_script(std::string_view text, const std::string& label);

} // namespace snapscope
