#include "diff_workload.hpp"

#include "diff_conditions.hpp"
#include "diff_floor.hpp"

#include <snapscope/analyzer/bimodal.hpp>

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

struct Sides {
    std::vector<double> left, right;
};

// Paired: only rounds that have it on both sides.
Sides sides_of(const std::string& name, const Group& base, const Group& other, bool paired) {
    if (!paired)
        return {values_of(base, name), values_of(other, name)};
    Sides out;
    for (std::size_t i = 0; i < base.size(); ++i) {
        const auto from = value_of(base[i], name);
        const auto to = value_of(other[i], name);
        if (!from || !to)
            continue;
        out.left.push_back(*from);
        out.right.push_back(*to);
    }
    return out;
}

MetricDiff compare_metric(const std::string& name, const Group& base, const Group& other, bool paired) {
    const auto [left, right] = sides_of(name, base, other, paired);
    MetricDiff out;
    out.name = name;
    out.unit = metric_info(name).unit;
    out.better = metric_info(name).better;
    if (left.empty() || right.empty())
        return out;
    out.base = summarize_side(left);
    out.other = summarize_side(right);
    out.comparison = paired ? compare_paired(left, right) : compare_unpaired(left, right);
    out.floor = floor_of_repeats(left, paired);
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

void add_floors(std::vector<MetricDiff>& metrics, Group base, Group floor) {
    const bool paired = pair_up(base, floor) == Pairs::complete;
    for (MetricDiff& metric : metrics) {
        const auto [left, right] = sides_of(metric.name, base, floor, paired);
        if (!left.empty() && !right.empty())
            metric.floor = floor_of_runs(left, right, paired);
    }
}

// Repeats of two kinds: the median stands between them, or jumps from one to the other.
void warn_two_groups(const std::vector<MetricDiff>& metrics, const Group& group, const char* side,
                     std::vector<std::string>& out) {
    for (const MetricDiff& metric : metrics)
        if (const auto found = two_groups(values_of(group, metric.name)))
            out.push_back(fmt::format(
                "{}: {} falls into two groups, {} runs near {:.6g} and {} near {:.6g} (p = {:.4f}): "
                "the machine has two states, and a median hides that",
                side, metric.name, found->low_count, found->low, found->high_count, found->high, found->p_value));
}

} // namespace

Result<Diff> diff_workload(const std::string& workload, const Group& base_given, const Group& other_given,
                           const Group& floor) {
    auto warnings = check_conditions(base_given, other_given);
    if (!warnings)
        return fail(warnings.error());
    if (!floor.empty())
        if (const auto like = check_conditions(base_given, floor); !like)
            return fail("--floor: " + like.error().what, like.error().hint, like.error().error_class);
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
    for (const std::string& name : metric_names(base, other)) {
        MetricDiff metric = compare_metric(name, base, other, out.paired);
        if (metric.base.n == 0) {
            warnings->push_back(name + " is left out: only one side has it");
            continue;
        }
        metric.workload = workload;
        out.metrics.push_back(std::move(metric));
    }
    if (out.metrics.empty())
        return fail("the two sides have no metric in common", "record both with the same sources and a workload");
    if (!floor.empty())
        add_floors(out.metrics, base, floor);
    out.test = test_words(out.paired, out.metrics);
    out.warnings = std::move(*warnings);
    if (pairs == Pairs::partial)
        out.warnings.emplace_back("the rounds of the two sides do not match one to one: compared as unpaired");
    warn_missing(out.metrics, out.warnings);
    warn_two_groups(out.metrics, base, "base", out.warnings);
    warn_two_groups(out.metrics, other, "new", out.warnings);
    warn_floor(out.metrics, out.warnings);
    return out;
}

} // namespace snapscope
