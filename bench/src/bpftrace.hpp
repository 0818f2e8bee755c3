// bpftrace doing what the source `ebpf` does: entry, return, and a histogram of
// the time between by slot, for the children of one process.
#pragma once

#include <snapscope/lab/process.hpp>

#include <cstdint>
#include <string>

namespace snapscope::bench {

// Where things are in the traced processes.
struct TracedSnapshot {
    std::string file; // its binary
    std::string function;
    pid_t parent = 0;              // of the traced processes
    std::uint64_t my_proc = 0;     // address of the pointer to the process's entry
    std::uint32_t slot_offset = 0; // of the slot number there
};

// nullopt where it is installed; else why it cannot take part.
[[nodiscard]] std::string bpftrace_missing();

class Bpftrace {
  public:
    // Returns when its probes are set.
    explicit Bpftrace(const TracedSnapshot& traced);
    // Ends it; how many snapshots its histograms hold.
    [[nodiscard]] std::uint64_t finish();

    [[nodiscard]] static std::string script(const TracedSnapshot& traced);

  private:
    Process process_;
};

// Sum of the counts of bpftrace's printed histograms.
[[nodiscard]] std::uint64_t sum_of_histograms(const std::string& printed);

} // namespace snapscope::bench
