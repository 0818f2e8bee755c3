#include "diff_floor.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace snapscope {
namespace {

AaFloor to_floor(const Comparison& comparison) {
    AaFloor out;
    if (comparison.interval_percent)
        out.percent =
            std::max(std::fabs(comparison.interval_percent->low), std::fabs(comparison.interval_percent->high));
    out.change_percent = comparison.change_percent;
    out.p_value = comparison.p_value;
    out.differs = comparison.verdict == Verdict::higher || comparison.verdict == Verdict::lower;
    return out;
}

} // namespace

AaFloor floor_of_runs(std::span<const double> base, std::span<const double> again, bool paired) {
    AaFloor out = to_floor(paired ? compare_paired(base, again) : compare_unpaired(base, again));
    out.given = true;
    out.n = again.size();
    return out;
}

std::optional<AaFloor> floor_of_repeats(std::span<const double> base, bool paired) {
    std::vector<double> one;
    std::vector<double> other;
    for (std::size_t i = 0; i + 1 < base.size(); i += 2) {
        one.push_back(base[i]);
        other.push_back(base[i + 1]);
    }
    const Comparison comparison = paired ? compare_paired(one, other) : compare_unpaired(one, other);
    if (!comparison.p_value)
        return std::nullopt;
    AaFloor out = to_floor(comparison);
    out.n = one.size();
    return out;
}

} // namespace snapscope
