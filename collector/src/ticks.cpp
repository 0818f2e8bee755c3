#include <snapscope/collector/source.hpp>
#include <snapscope/collector/ticks.hpp>
#include <snapscope/probes/abi.h>

#include <algorithm>
#include <cmath>
#if defined(__x86_64__)
#include <x86intrin.h>
#endif

namespace snapscope {

Result<TickConversion> TickConversion::from(const TickSample& first, const TickSample& second) {
    if (second.ticks <= first.ticks || second.ns <= first.ns)
        return fail("the time stamp counter does not advance with CLOCK_MONOTONIC");
    TickConversion conversion;
    conversion.first_ = first;
    conversion.last_ = second;
    conversion.ns_per_tick_ =
        static_cast<double>(second.ns - first.ns) / static_cast<double>(second.ticks - first.ticks);
    conversion.current_ = {first.ticks, 0, conversion.ns_per_tick_};
    conversion.previous_ = conversion.current_;
    conversion.worst_residual_ns_ = static_cast<double>(std::max(first.width_ns, second.width_ns));
    return conversion;
}

void TickConversion::refine(const TickSample& sample) {
    if (sample.ticks <= last_.ticks || sample.ns <= last_.ns)
        return;
    const double here = current_.at(sample.ticks);
    const auto truth = static_cast<double>(sample.ns - first_.ns);
    worst_residual_ns_ = std::max(worst_residual_ns_, std::abs(here - truth) + static_cast<double>(sample.width_ns));

    ns_per_tick_ = truth / static_cast<double>(sample.ticks - first_.ticks);
    const auto span = static_cast<double>(sample.ticks - last_.ticks);
    const double correction = (truth - here) / span;
    // Never so steep that durations would show it, never backwards.
    const double most = ns_per_tick_ * 1e-3;
    previous_ = current_;
    current_ = {sample.ticks, here, ns_per_tick_ + std::clamp(correction, -most, most)};
    last_ = sample;
}

std::int64_t TickConversion::to_ns(std::uint64_t ticks) const {
    const auto ahead = static_cast<std::int64_t>(ticks - current_.ticks);
    return first_.ns + std::llround((ahead >= 0 ? current_ : previous_).at(ticks));
}

std::uint64_t read_ticks(std::uint32_t clock) {
#if defined(__x86_64__)
    if (clock == SNAPSCOPE_CLOCK_TSC) {
        unsigned int cpu = 0;
        return __rdtscp(&cpu);
    }
#endif
    (void)clock;
    return static_cast<std::uint64_t>(monotonic_ns());
}

TickSample sample_ticks(std::uint32_t clock) {
    constexpr int tries = 16;
    TickSample best;
    std::uint64_t narrowest = UINT64_MAX;
    std::int64_t narrowest_ns = 0;
    for (int i = 0; i < tries; ++i) {
        const std::int64_t clock_before = monotonic_ns();
        const std::uint64_t before = read_ticks(clock);
        const std::int64_t ns = monotonic_ns();
        const std::uint64_t after = read_ticks(clock);
        if (after - before < narrowest) {
            narrowest = after - before;
            narrowest_ns = ns - clock_before; // spans at least one of the two halves
            best = {before + (after - before) / 2, ns, narrowest_ns};
        }
    }
    return best;
}

} // namespace snapscope
