#include "diff_workload.hpp"

#include <snapscope/analyzer/rank_tests.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>

namespace snapscope {
namespace {

std::string runs(std::size_t count) {
    return fmt::format("{} more run{}", count, count == 1 ? "" : "s");
}

std::string missing_text(const Comparison& comparison) {
    if (comparison.missing_pairs > 0)
        return fmt::format("{} more pair{} (at least {})", comparison.missing_pairs,
                           comparison.missing_pairs == 1 ? "" : "s", min_pairs);
    std::string out;
    if (comparison.missing_base > 0)
        out = runs(comparison.missing_base) + " of base";
    if (comparison.missing_new > 0)
        out += (out.empty() ? "" : " and ") + runs(comparison.missing_new) + " of new";
    return out + fmt::format(" (at least {} against {})", min_side, min_side);
}

} // namespace

std::string test_words(bool paired, const std::vector<MetricDiff>& metrics) {
    bool exact = true;
    std::vector<std::string> linear;
    for (const MetricDiff& metric : metrics) {
        exact = exact && metric.comparison.exact;
        if (!metric.comparison.logarithmic)
            linear.push_back(metric.name);
    }
    const bool all_linear = linear.size() == metrics.size();
    std::string out = exact ? "exact " : "";
    if (paired)
        out +=
            all_linear ? "Wilcoxon signed-rank on differences of pairs" : "Wilcoxon signed-rank on log ratios of pairs";
    else
        out += all_linear ? "Mann-Whitney on the values" : "Mann-Whitney on logarithms";
    if (!linear.empty() && !all_linear)
        out +=
            fmt::format("; on {} for {} (not above 0)", paired ? "differences" : "the values", fmt::join(linear, ", "));
    return out + (exact ? "" : ", normal approximation");
}

void warn_missing(const std::vector<MetricDiff>& metrics, std::vector<std::string>& out) {
    std::map<std::string, std::vector<std::string>> by_text;
    for (const MetricDiff& metric : metrics)
        if (metric.comparison.verdict == Verdict::too_few_runs)
            by_text[missing_text(metric.comparison)].push_back(metric.name);
    for (const auto& [text, names] : by_text) {
        std::string of = names.size() == metrics.size() ? "" : " for " + names.front();
        for (std::size_t i = 1; i < names.size() && names.size() != metrics.size(); ++i)
            of += ", " + names[i];
        out.push_back(fmt::format("too few runs to tell a difference{}: {} needed", of, text));
    }
}

void warn_floor(const std::vector<MetricDiff>& metrics, std::vector<std::string>& out) {
    for (const MetricDiff& metric : metrics) {
        if (!metric.floor)
            continue;
        const AaFloor& floor = *metric.floor;
        if (floor.given && !floor.percent)
            out.push_back(fmt::format("{}: too few A/A runs for a floor", metric.name));
        if (floor.differs && floor.change_percent)
            out.push_back(
                fmt::format("{}: {} differ by {:+.2f} % (p = {:.4f}): this machine is not the same throughout, "
                            "and smaller changes than that mean nothing",
                            metric.name, floor.given ? "the A/A runs and base" : "alternating repeats of base",
                            *floor.change_percent, floor.p_value.value_or(0)));
        if (metric.within_floor() && metric.comparison.verdict != Verdict::no_difference_shown)
            out.push_back(fmt::format("{}: the change is within the A/A floor of {:.2f} %: it is not counted as {}",
                                      metric.name, *floor.percent, "better or worse"));
    }
}

} // namespace snapscope
