// Hardware data watchpoints on one 4-byte word: the processor traps on each
// access, the kernel counts it.  Two debug registers of the four: one counts
// accesses, one writes.  Exact, and 15 to 18 us for whoever accesses the word.
//
// An instruction that reads and writes (the lock's) counts as a write.  Accesses
// by the kernel are not counted, and neither are those through another mapping.
// Everything is descriptors: nothing outlives this process.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <vector>

namespace snapscope {

struct CpuAccesses {
    std::uint32_t cpu = 0;
    std::uint64_t reads = 0, writes = 0;
    std::uint64_t watched_ns = 0;
    bool cut = false; // the limit was reached, and nothing was watched after that
};

class WordWatch {
  public:
    // In every process, by CPU: whoever has something else at ADDRESS counts, too.
    // After LIMIT accesses on a CPU, or fewer than twice as many where go_on() is
    // called before, the kernel stops there by itself.
    static Result<WordWatch> on_every_cpu(std::uint64_t address, std::uint64_t limit);
    // In the calling thread alone; the one row has cpu 0.
    static Result<WordWatch> in_this_thread(std::uint64_t address, std::uint64_t limit);

    void go_on(); // or begin
    void stop();
    // All that was counted since the beginning; `cut`: stopped by the kernel now.
    [[nodiscard]] std::vector<CpuAccesses> read() const;

  private:
    struct Pair {
        std::uint32_t cpu = 0;
        UniqueFd accesses, writes; // the second counts exactly while the first does
        std::uint64_t granted = 0; // limits
    };
    explicit WordWatch(std::uint64_t limit) : limit_(limit) {}
    Status add(pid_t pid, int cpu, std::uint64_t address);

    std::uint64_t limit_;
    std::vector<Pair> pairs_;
};

// CPUs that are online.
[[nodiscard]] std::vector<std::uint32_t> online_cpus();

// ns that one access to a watched word costs its process here; measured at the first call.
[[nodiscard]] Result<double> watch_hit_ns();

} // namespace snapscope
