// One timed load of one randomly chosen line: whether that line had left this
// core.  The timing core of source `linetimer`; it reads memory that others
// write and changes nothing in it.
//
// It tells "had left this core", not who took the line nor whether it was
// modified.  Only the first load after a change tells: loading brings the line
// back, so each line says at most once per change that it had left.
#pragma once

#include <snapscope/collector/timed_load.hpp>

#include <cstddef>
#include <cstdint>
#include <random>

namespace snapscope {

class LineTimer {
  public:
    // COUNT lines from FIRST on, which is aligned to LINE_BYTES; slower than
    // THRESHOLD_CYCLES means left.
    LineTimer(const void* first, std::size_t count, double threshold_cycles, std::uint64_t seed)
        : first_(static_cast<const unsigned char*>(first)), pick_(0, count - 1), threshold_(threshold_cycles),
          random_(seed) {}

    struct Load {
        std::size_t line = 0;
        std::uint32_t cycles = 0;
        bool left = false;
    };
    [[nodiscard]] Load load_one() {
        Load out;
        out.line = pick_(random_);
        const unsigned char* line = first_ + out.line * line_bytes;
        touch_page_of(line);
        out.cycles = timed_load(line);
        out.left = static_cast<double>(out.cycles) > threshold_;
        return out;
    }

    static constexpr std::size_t line_bytes = 64;

  private:
    // The page's translation is found before the clock runs: a walk for it takes as
    // long as a line that had left.  What is touched lies half a page away, where no
    // prefetcher connects it with the line.
    static void touch_page_of(const unsigned char* line) {
        constexpr std::uintptr_t half_a_page = 2048;
        const auto other = reinterpret_cast<std::uintptr_t>(line) ^ half_a_page;
        static_cast<void>(*reinterpret_cast<const volatile unsigned char*>(other)); // NOLINT(performance-no-int-to-ptr)
    }

    const unsigned char* first_;
    std::uniform_int_distribution<std::size_t> pick_;
    double threshold_;
    std::mt19937_64 random_;
};

} // namespace snapscope
