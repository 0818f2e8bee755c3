#include "pinned_pair.hpp"

#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <memory>
#include <pthread.h>
#include <sched.h>
#include <thread>

namespace snapscope {
namespace {

struct FreeSet {
    void operator()(cpu_set_t* set) const { CPU_FREE(set); }
};

// 0 or the error number; any CPU number.
int pin_this_thread(std::uint32_t cpu) {
    const std::unique_ptr<cpu_set_t, FreeSet> set(CPU_ALLOC(cpu + 1));
    if (!set)
        return ENOMEM;
    const std::size_t bytes = CPU_ALLOC_SIZE(cpu + 1);
    CPU_ZERO_S(bytes, set.get());
    CPU_SET_S(cpu, bytes, set.get());
    return ::pthread_setaffinity_np(::pthread_self(), bytes, set.get());
}

} // namespace

Status run_pinned(std::uint32_t cpu_a, std::uint32_t cpu_b, Turns& turns, const std::function<void()>& a,
                  const std::function<void()>& b) {
    std::array<std::atomic<int>, 2> errors{};
    std::atomic<int> pinned{0};
    const auto on = [&](std::size_t side, std::uint32_t cpu, const std::function<void()>& work) {
        errors.at(side) = pin_this_thread(cpu);
        pinned.fetch_add(1);
        // Neither begins before both stand, nor where one could not.
        if (turns.spin([&] { return pinned.load() == 2; }) && errors[0] == 0 && errors[1] == 0)
            work();
        turns.give_up();
    };
    {
        const std::jthread first([&] { on(0, cpu_a, a); });
        const std::jthread second([&] { on(1, cpu_b, b); });
    }
    for (std::size_t side = 0; side < errors.size(); ++side)
        if (errors.at(side) != 0)
            return fail_errno(fmt::format("cannot run on CPU {}", side == 0 ? cpu_a : cpu_b), errors.at(side));
    return {};
}

} // namespace snapscope
