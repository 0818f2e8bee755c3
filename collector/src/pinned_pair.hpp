// Two threads, each on a CPU of its own, that take turns through a word on a
// line of its own.  No wait is without end: a CPU that a busier program holds
// would hang both.
#pragma once

#include <snapscope/base/result.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>

namespace snapscope {

// Two 64-byte lines: the neighbour that a prefetcher brings along is no one else's.
inline constexpr std::size_t apart_bytes = 128;

class Turns {
  public:
    explicit Turns(std::chrono::nanoseconds limit) : end_(std::chrono::steady_clock::now() + limit) {}

    void give(std::uint32_t turn) { turn_.store(turn, std::memory_order_release); }
    [[nodiscard]] std::uint32_t turn() const { return turn_.load(std::memory_order_acquire); }
    // False: the other side has given up, or the time is over.
    [[nodiscard]] bool await(std::uint32_t turn) {
        return spin([&] { return turn_.load(std::memory_order_acquire) == turn; });
    }
    // Spins until DONE; false as above.
    template <typename F> [[nodiscard]] bool spin(F done) {
        constexpr std::uint32_t tries_a_look = 4096; // at the clock
        for (std::uint32_t tries = 1;; ++tries) {
            if (done())
                return true;
            if (tries % tries_a_look != 0)
                continue;
            if (over_.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() >= end_)
                return false;
        }
    }
    void give_up() { over_.store(true, std::memory_order_relaxed); }
    [[nodiscard]] bool over() const {
        return over_.load(std::memory_order_relaxed) || std::chrono::steady_clock::now() >= end_;
    }

  private:
    alignas(apart_bytes) std::atomic<std::uint32_t> turn_{0};
    alignas(apart_bytes) std::atomic<bool> over_{false};
    std::chrono::steady_clock::time_point end_;
};

// Runs A on CPU_A and B on CPU_B; returns when both have returned.  Whichever
// returns first gives up for the other.
[[nodiscard]] Status run_pinned(std::uint32_t cpu_a, std::uint32_t cpu_b, Turns& turns, const std::function<void()>& a,
                                const std::function<void()>& b);

} // namespace snapscope
