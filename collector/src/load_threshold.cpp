#include "load_threshold.hpp"

#include <algorithm>

namespace snapscope {
namespace {

// Thresholds that are no more than this above the best count as equally good:
// one stray interrupt must not decide.
constexpr double as_good = 0.001;

struct Halves {
    std::vector<std::uint32_t> choosing, checking; // the first one sorted
};

Halves halves(std::span<const std::uint32_t> samples) {
    Halves out;
    for (std::size_t i = 0; i < samples.size(); ++i)
        (i % 2 == 0 ? out.choosing : out.checking).push_back(samples[i]);
    std::ranges::sort(out.choosing);
    return out;
}

double share_above(const std::vector<std::uint32_t>& sorted, std::uint32_t threshold) {
    const auto above = sorted.end() - std::ranges::upper_bound(sorted, threshold);
    return static_cast<double>(above) / static_cast<double>(sorted.size());
}

std::uint64_t count_above(const std::vector<std::uint32_t>& samples, double threshold) {
    return static_cast<std::uint64_t>(
        std::ranges::count_if(samples, [&](std::uint32_t cycles) { return static_cast<double>(cycles) > threshold; }));
}

// The widest range of equally good thresholds.  Between two neighbouring values
// all thresholds are one, so a range ends where the next value begins.
void choose(const Halves& fast, const Halves& slow, LoadThreshold& out) {
    std::vector<std::uint32_t> values(fast.choosing);
    values.insert(values.end(), slow.choosing.begin(), slow.choosing.end());
    std::ranges::sort(values);
    values.erase(std::ranges::unique(values).begin(), values.end());
    std::vector<double> errors;
    for (const std::uint32_t value : values)
        errors.push_back(share_above(fast.choosing, value) + 1 - share_above(slow.choosing, value));
    const double limit = *std::ranges::min_element(errors) + as_good;
    double widest = -1;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (errors[i] > limit)
            continue;
        std::size_t last = i;
        while (last + 1 < values.size() && errors[last + 1] <= limit)
            ++last;
        const double low = values[i];
        const double high = last + 1 < values.size() ? values[last + 1] - 1.0 : values[last];
        if (high - low > widest) {
            widest = high - low;
            out.low_cycles = low;
            out.high_cycles = high;
        }
        i = last;
    }
    out.cycles = (out.low_cycles + out.high_cycles) / 2;
}

} // namespace

std::optional<LoadThreshold> choose_threshold(std::span<const std::uint32_t> fast,
                                              std::span<const std::uint32_t> slow) {
    if (fast.size() < least_loads || slow.size() < least_loads)
        return std::nullopt;
    const Halves f = halves(fast);
    const Halves s = halves(slow);
    LoadThreshold out;
    choose(f, s, out);
    out.fast_loads = f.checking.size();
    out.false_slow = count_above(f.checking, out.cycles);
    out.slow_loads = s.checking.size();
    out.missed = s.checking.size() - count_above(s.checking, out.cycles);
    return out;
}

double error_rate(const LoadThreshold& threshold) {
    return (threshold.missed_rate() + threshold.false_rate()) / 2;
}

} // namespace snapscope
