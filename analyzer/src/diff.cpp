#include "diff_conditions.hpp"

#include <snapscope/analyzer/diff.hpp>
#include <snapscope/analyzer/rank_tests.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>

namespace snapscope {
namespace {

using Group = std::vector<Measurement>;

enum class Pairs { none, partial, complete };

// Round -> measurement; empty when a round stands twice or a pairing is missing.
std::map<std::uint32_t, const Measurement*> rounds_of(const Group& group, const std::string& series) {
    std::map<std::uint32_t, const Measurement*> out;
    for (const Measurement& one : group)
        if (!one.pairing || one.pairing->series != series || !out.emplace(one.pairing->round, &one).second)
            return {};
    return out;
}

// Both sides in the order of their rounds, where they pair up one to one.
Pairs pair_up(Group& base, Group& other) {
    const auto has_pairing = [](const Measurement& one) { return one.pairing.has_value(); };
    if (std::none_of(base.begin(), base.end(), has_pairing) || std::none_of(other.begin(), other.end(), has_pairing))
        return Pairs::none;
    const std::string series = base.front().pairing ? base.front().pairing->series : "";
    const auto left = rounds_of(base, series);
    const auto right = rounds_of(other, series);
    const auto same_round = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (left.empty() || !std::equal(left.begin(), left.end(), right.begin(), right.end(), same_round))
        return Pairs::partial;
    const auto by_round = [](const Measurement& a, const Measurement& b) {
        return a.pairing.value().round < b.pairing.value().round;
    };
    std::sort(base.begin(), base.end(), by_round);
    std::sort(other.begin(), other.end(), by_round);
    return Pairs::complete;
}

std::optional<double> value_of(const Measurement& one, const std::string& name) {
    const auto at = one.values.find(name);
    return at == one.values.end() ? std::nullopt : std::optional(at->second.value);
}

std::vector<double> values_of(const Group& group, const std::string& name) {
    std::vector<double> out;
    for (const Measurement& one : group)
        if (const auto value = value_of(one, name))
            out.push_back(*value);
    return out;
}

SideSummary summarize_side(const std::vector<double>& values) {
    return {values.size(), *median(values), *mean(values), median_interval95(values)};
}

MetricDiff compare_metric(const std::string& name, const Group& base, const Group& other, bool paired) {
    std::vector<double> left = values_of(base, name);
    std::vector<double> right = values_of(other, name);
    if (paired) { // only rounds that have it on both sides
        left.clear();
        right.clear();
        for (std::size_t i = 0; i < base.size(); ++i) {
            const auto from = value_of(base[i], name);
            const auto to = value_of(other[i], name);
            if (!from || !to)
                continue;
            left.push_back(*from);
            right.push_back(*to);
        }
    }
    const MetricInfo info = metric_info(name);
    MetricDiff out{name, info.unit, info.better, {}, {}, {}, {}};
    if (left.empty() || right.empty())
        return out;
    out.base = summarize_side(left);
    out.other = summarize_side(right);
    out.comparison = paired ? compare_paired(left, right) : compare_unpaired(left, right);
    if (out.base.mean > 0)
        out.mean_change_percent = 100 * (out.other.mean / out.base.mean - 1);
    return out;
}

// The contract's order first, then whatever else there is by name.
std::vector<std::string> metric_names(const Group& base, const Group& other) {
    std::set<std::string> names;
    for (const Group* group : {&base, &other})
        for (const Measurement& one : *group)
            for (const auto& [name, value] : one.values)
                names.insert(name);
    std::vector<std::string> out;
    for (const std::string& name : contract_metrics())
        if (names.erase(name) > 0)
            out.push_back(name);
    out.insert(out.end(), names.begin(), names.end());
    return out;
}

std::string test_name(bool paired, bool exact) {
    if (paired)
        return exact ? "exact Wilcoxon signed-rank on log ratios of pairs"
                     : "Wilcoxon signed-rank on log ratios of pairs, normal approximation";
    return exact ? "exact Mann-Whitney on logarithms" : "Mann-Whitney on logarithms, normal approximation";
}

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

// One warning for all metrics that miss the same.
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

} // namespace

bool MetricDiff::regression() const {
    return (better == Better::higher && comparison.verdict == Verdict::lower) ||
           (better == Better::lower && comparison.verdict == Verdict::higher);
}

bool MetricDiff::improvement() const {
    return (better == Better::higher && comparison.verdict == Verdict::higher) ||
           (better == Better::lower && comparison.verdict == Verdict::lower);
}

bool Diff::regression() const {
    return std::any_of(metrics.begin(), metrics.end(), [](const MetricDiff& metric) { return metric.regression(); });
}

Result<Diff> diff(const Group& base_given, const Group& other_given) {
    if (base_given.empty() || other_given.empty())
        return fail("nothing to compare", "give at least one run on each side", ErrorClass::usage);
    auto warnings = check_conditions(base_given, other_given);
    if (!warnings)
        return fail(warnings.error());
    Group base = base_given;
    Group other = other_given;
    const Pairs pairs = pair_up(base, other);
    Diff out;
    out.paired = pairs == Pairs::complete;
    for (const auto& [group, labels] : {std::pair{&base, &out.base}, std::pair{&other, &out.other}}) {
        for (const Measurement& one : *group) {
            labels->push_back(one.label);
            out.partial |= !one.finished;
        }
    }
    bool exact = true;
    for (const std::string& name : metric_names(base, other)) {
        MetricDiff metric = compare_metric(name, base, other, out.paired);
        if (metric.base.n == 0) {
            warnings->push_back(name + " is left out: only one side has it");
            continue;
        }
        exact = exact && metric.comparison.exact;
        out.metrics.push_back(std::move(metric));
    }
    if (out.metrics.empty())
        return fail("the two sides have no metric in common", "record both with the same sources and a workload");
    out.test = test_name(out.paired, exact);
    out.warnings = std::move(*warnings);
    if (pairs == Pairs::partial)
        out.warnings.emplace_back("the rounds of the two sides do not match one to one: compared as unpaired");
    warn_missing(out.metrics, out.warnings);
    return out;
}

} // namespace snapscope
