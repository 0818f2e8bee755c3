// The processor's counter and one load between two readings of it: what tells
// a line that is here from one that had left.  Used by the calibration and the
// source `linetimer`.
//
// "Cycles" are those of the counter (TSC, or the generic timer of aarch64),
// not of the core: they have a fixed length, and a clock that turbo leaves
// alone.  A value holds the cost of reading the counter, some 50 cycles on x86.
#pragma once

#include <cstdint>

namespace snapscope {

#if defined(__x86_64__)

inline constexpr bool can_time_loads = true;
inline constexpr const char* cycle_counter = "tsc";

// Not before any earlier instruction has finished.
[[nodiscard]] inline std::uint64_t cycles_now() {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    asm volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
    return high << 32 | low;
}

// lfence, rdtsc, load, rdtscp: the load cannot begin before the first reading's
// fence nor end after the second reading.
[[nodiscard]] inline std::uint32_t timed_load(const void* line) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    asm volatile("lfence\n\t"
                 "rdtsc\n\t"
                 "shlq $32, %%rdx\n\t"
                 "orq %%rdx, %%rax\n\t"
                 "movq %%rax, %[begin]\n\t"
                 "movl (%[line]), %%ecx\n\t"
                 "rdtscp\n\t"
                 "shlq $32, %%rdx\n\t"
                 "orq %%rdx, %%rax\n\t"
                 "lfence"
                 : "=&a"(end), [begin] "=&r"(begin)
                 : [line] "r"(line)
                 : "rcx", "rdx", "memory");
    return static_cast<std::uint32_t>(end - begin);
}

// Out of every cache, to memory; finished when it returns.
inline void flush_line(const void* line) {
    asm volatile("clflush (%0)\n\tmfence" ::"r"(line) : "memory");
}

#elif defined(__aarch64__)

inline constexpr bool can_time_loads = true;
inline constexpr const char* cycle_counter = "cntvct";

[[nodiscard]] inline std::uint64_t cycles_now() {
    std::uint64_t now = 0;
    asm volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(now)::"memory");
    return now;
}

[[nodiscard]] inline std::uint32_t timed_load(const void* line) {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint32_t value = 0;
    asm volatile("dsb ish\n\tisb\n\t"
                 "mrs %[begin], cntvct_el0\n\tisb\n\t"
                 "ldr %w[value], [%[line]]\n\t"
                 "dsb ishld\n\tisb\n\t"
                 "mrs %[end], cntvct_el0"
                 : [begin] "=&r"(begin), [end] "=&r"(end), [value] "=&r"(value)
                 : [line] "r"(line)
                 : "memory");
    return static_cast<std::uint32_t>(end - begin);
}

inline void flush_line(const void* line) {
    asm volatile("dc civac, %0\n\tdsb ish" ::"r"(line) : "memory");
}

#else

// Refused before any of these is called.
inline constexpr bool can_time_loads = false;
inline constexpr const char* cycle_counter = "none";
[[nodiscard]] inline std::uint64_t cycles_now() {
    return 0;
}
[[nodiscard]] inline std::uint32_t timed_load(const void*) {
    return 0;
}
inline void flush_line(const void*) {}

#endif

} // namespace snapscope
