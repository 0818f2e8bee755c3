// Workloads apart, then together again.
#include "diff_workload.hpp"

#include <snapscope/analyzer/correlation.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <set>
#include <tuple>

namespace snapscope {
namespace {

using Group = std::vector<Measurement>;

constexpr double level = 0.05;

// What must be the same for two runs to be repeats of one workload.
struct WorkloadKey {
    std::string load;
    std::optional<std::uint32_t> clients;
    std::optional<bool> reconnect;

    friend auto operator<=>(const WorkloadKey&, const WorkloadKey&) = default;
};

WorkloadKey key_of(const Measurement& one) {
    return {one.load, one.clients, one.reconnect};
}

std::map<WorkloadKey, Group> by_workload(const Group& group) {
    std::map<WorkloadKey, Group> out;
    for (const Measurement& one : group)
        out[key_of(one)].push_back(one);
    return out;
}

// The parts of the key that differ between the workloads.
std::map<WorkloadKey, std::string> names_of(const std::map<WorkloadKey, Group>& workloads) {
    std::set<std::string> loads;
    std::set<std::optional<std::uint32_t>> clients;
    std::set<std::optional<bool>> reconnect;
    for (const auto& [key, group] : workloads) {
        loads.insert(key.load);
        clients.insert(key.clients);
        reconnect.insert(key.reconnect);
    }
    std::map<WorkloadKey, std::string> out;
    for (const auto& [key, group] : workloads) {
        std::string name = loads.size() > 1 ? (key.load.empty() ? "no load" : key.load) : "";
        const auto add = [&name](const std::string& part) { name += (name.empty() ? "" : ", ") + part; };
        if (clients.size() > 1)
            add(key.clients ? fmt::format("{} clients", *key.clients) : "clients unknown");
        if (reconnect.size() > 1)
            add(!key.reconnect ? "-C unknown" : *key.reconnect ? "-C" : "without -C");
        out[key] = name;
    }
    return out;
}

bool same_keys(const std::map<WorkloadKey, Group>& a, const std::map<WorkloadKey, Group>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const auto& x, const auto& y) { return x.first == y.first; });
}

void append(Diff& all, Diff one, const std::string& name) {
    all.base.insert(all.base.end(), one.base.begin(), one.base.end());
    all.other.insert(all.other.end(), one.other.begin(), one.other.end());
    std::move(one.metrics.begin(), one.metrics.end(), std::back_inserter(all.metrics));
    all.partial = all.partial || one.partial;
    all.paired = all.paired && one.paired;
    if (all.test.empty())
        all.test = one.test;
    else if (all.test.find(one.test) == std::string::npos)
        all.test += "; " + one.test;
    for (const std::string& warning : one.warnings)
        all.warnings.push_back(name + ": " + warning);
}

// A row that can be worse at all, and was tested.
bool counts(const MetricDiff& metric) {
    return metric.better != Better::none && metric.comparison.p_value.has_value();
}

void correct(Diff& diff) {
    std::vector<double> p_values;
    for (const MetricDiff& metric : diff.metrics)
        if (counts(metric))
            p_values.push_back(*metric.comparison.p_value);
    const std::vector<double> corrected = holm(p_values);
    std::size_t next = 0;
    for (MetricDiff& metric : diff.metrics)
        if (counts(metric))
            metric.p_holm = corrected[next++];
}

Result<Diff> diff_each(const std::map<WorkloadKey, Group>& base, const std::map<WorkloadKey, Group>& other,
                       const Group& floor) {
    const auto floors = by_workload(floor);
    const auto names = names_of(base);
    Diff out;
    out.paired = true;
    for (const auto& [key, group] : base) {
        const auto again = floors.find(key);
        auto one = diff_workload(names.at(key), group, other.at(key), again == floors.end() ? Group{} : again->second);
        if (!one)
            return fail(names.at(key) + ": " + one.error().what, one.error().hint, one.error().error_class);
        append(out, std::move(*one), names.at(key));
    }
    return out;
}

} // namespace

std::optional<double> MetricDiff::resolution_percent() const {
    if (!comparison.interval_percent)
        return std::nullopt;
    return (comparison.interval_percent->high - comparison.interval_percent->low) / 2;
}

bool MetricDiff::within_floor() const {
    return floor && floor->given && floor->percent && comparison.change_percent &&
           std::fabs(*comparison.change_percent) <= *floor->percent;
}

bool MetricDiff::regression() const {
    return !within_floor() && ((better == Better::higher && comparison.verdict == Verdict::lower) ||
                               (better == Better::lower && comparison.verdict == Verdict::higher));
}

bool MetricDiff::improvement() const {
    return !within_floor() && ((better == Better::higher && comparison.verdict == Verdict::higher) ||
                               (better == Better::lower && comparison.verdict == Verdict::lower));
}

bool Diff::has_metric(const std::string& metric) const {
    return std::any_of(metrics.begin(), metrics.end(), [&](const MetricDiff& one) { return one.name == metric; });
}

bool Diff::regression(const std::string& metric) const {
    std::vector<double> p_values;
    std::vector<bool> worse;
    for (const MetricDiff& one : metrics) {
        if (!counts(one) || (!metric.empty() && one.name != metric))
            continue;
        p_values.push_back(*one.comparison.p_value);
        worse.push_back(one.regression());
    }
    const std::vector<double> corrected = holm(p_values);
    for (std::size_t i = 0; i < worse.size(); ++i)
        if (worse[i] && corrected[i] <= level)
            return true;
    return false;
}

std::vector<Measurement> of_workload(const Group& group, const std::string& name, const Group& base) {
    if (name.empty())
        return group;
    const auto names = names_of(by_workload(base));
    Group out;
    std::copy_if(group.begin(), group.end(), std::back_inserter(out), [&](const Measurement& one) {
        const auto found = names.find(key_of(one));
        return found != names.end() && found->second == name;
    });
    return out;
}

Result<Diff> diff(const Group& base, const Group& other, const Group& floor) {
    if (base.empty() || other.empty())
        return fail("nothing to compare", "give at least one run on each side", ErrorClass::usage);
    const auto left = by_workload(base);
    const auto right = by_workload(other);
    auto out = left.size() > 1 && same_keys(left, right) ? diff_each(left, right, floor)
                                                         : diff_workload("", base, other, floor);
    if (out)
        correct(*out);
    return out;
}

} // namespace snapscope
