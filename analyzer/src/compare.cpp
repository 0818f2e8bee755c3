#include <snapscope/analyzer/compare.hpp>
#include <snapscope/analyzer/rank_tests.hpp>

#include <algorithm>
#include <cmath>
#include <vector>

namespace snapscope {
namespace {

constexpr double linear_resolution = 0x1p-44; // of the largest value

bool all_positive(std::span<const double> values) {
    return std::all_of(values.begin(), values.end(), [](double value) { return value > 0; });
}

std::vector<double> logs(std::span<const double> values) {
    std::vector<double> out;
    for (const double value : values)
        out.push_back(std::log(value));
    return out;
}

double resolution_of(std::span<const double> base, std::span<const double> other) {
    double largest = 0;
    for (const auto values : {base, other})
        for (const double value : values)
            largest = std::max(largest, std::fabs(value));
    return largest > 0 ? largest * linear_resolution : 1;
}

double percent(double log_ratio) {
    return 100 * std::expm1(log_ratio);
}

std::vector<double> pairwise(std::span<const double> base, std::span<const double> other, bool logarithmic) {
    std::vector<double> out;
    for (std::size_t i = 0; i < base.size(); ++i)
        out.push_back(logarithmic ? std::log(other[i] / base[i]) : other[i] - base[i]);
    return out;
}

// Too few for a test: the estimate alone.
void estimate(Comparison& out, double shift, bool logarithmic) {
    (logarithmic ? out.change_percent : out.change) = logarithmic ? percent(shift) : shift;
}

void conclude(Comparison& out, const RankTest& test, bool logarithmic) {
    estimate(out, test.shift, logarithmic);
    out.p_value = test.p_value;
    out.exact = test.exact;
    const Interval& shift = test.interval;
    if (logarithmic)
        out.interval_percent = Interval{percent(shift.low), percent(shift.high)};
    else
        out.interval = shift;
    out.verdict = shift.low > 0 ? Verdict::higher : shift.high < 0 ? Verdict::lower : Verdict::no_difference_shown;
}

} // namespace

const char* to_string(Verdict verdict) {
    switch (verdict) {
    case Verdict::higher:
        return "higher";
    case Verdict::lower:
        return "lower";
    case Verdict::no_difference_shown:
        return "no difference shown";
    case Verdict::too_few_runs:
        break;
    }
    return "too few runs";
}

Comparison compare_paired(std::span<const double> base, std::span<const double> other) {
    Comparison out;
    const bool logarithmic = out.logarithmic = all_positive(base) && all_positive(other);
    const std::vector<double> differences = pairwise(base, other, logarithmic);
    const double resolution = logarithmic ? log_resolution : resolution_of(base, other);
    if (const auto test = signed_rank_test(differences, resolution)) {
        conclude(out, *test, logarithmic);
        return out;
    }
    out.missing_pairs = min_pairs - differences.size();
    std::vector<double> walsh;
    for (std::size_t i = 0; i < differences.size(); ++i)
        for (std::size_t j = i; j < differences.size(); ++j)
            walsh.push_back((differences[i] + differences[j]) / 2);
    if (const auto shift = median(walsh))
        estimate(out, *shift, logarithmic);
    return out;
}

Comparison compare_unpaired(std::span<const double> base, std::span<const double> other) {
    Comparison out;
    const bool logarithmic = out.logarithmic = all_positive(base) && all_positive(other);
    const double resolution = logarithmic ? log_resolution : resolution_of(base, other);
    const auto test =
        logarithmic ? rank_sum_test(logs(base), logs(other), resolution) : rank_sum_test(base, other, resolution);
    if (test) {
        conclude(out, *test, logarithmic);
        return out;
    }
    out.missing_base = min_side - std::min(min_side, base.size());
    out.missing_new = min_side - std::min(min_side, other.size());
    std::vector<double> differences;
    for (const double from : base)
        for (const double to : other)
            differences.push_back(logarithmic ? std::log(to / from) : to - from);
    if (const auto shift = median(differences))
        estimate(out, *shift, logarithmic);
    return out;
}

} // namespace snapscope
