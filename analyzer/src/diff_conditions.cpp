#include "diff_conditions.hpp"

#include <snapscope/analyzer/curve.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <set>

namespace snapscope {
namespace {

using Group = std::vector<Measurement>;

constexpr std::size_t listed = 6; // names in one warning

Status check_runs(const Group& group) {
    std::set<std::string> ids;
    for (const Measurement& one : group) {
        if (!one.workload_valid)
            return fail(one.label + ": its workload is not valid, so its figures must not be compared",
                        "see 'snapscope show'; leave the run out, or record it again");
        if (one.run_id && !one.run_id->empty() && !ids.insert(*one.run_id).second)
            return fail(one.label + ": the same run is given twice on one side", "a copy is no repeat",
                        ErrorClass::usage);
    }
    return {};
}

// All values that measurements of both sides know must be equal.
template <typename Get, typename Show>
Status check_equal(const Group& base, const Group& other, Get get, Show show, const char* hint) {
    const Measurement* first = nullptr;
    for (const Group* group : {&base, &other}) {
        for (const Measurement& one : *group) {
            if (!get(one))
                continue;
            if (first == nullptr)
                first = &one;
            if (*get(one) != *get(*first))
                return fail(fmt::format("cannot compare {} ({}) with {} ({})", first->label, show(*get(*first)),
                                        one.label, show(*get(one))),
                            hint);
        }
    }
    return {};
}

template <typename Get> std::set<std::string> values_of(const Group& group, Get get) {
    std::set<std::string> out;
    for (const Measurement& one : group)
        if (std::string value = get(one); !value.empty())
            out.insert(std::move(value));
    return out;
}

template <typename Get>
void warn_different(const Group& base, const Group& other, const char* what, Get get, std::vector<std::string>& out) {
    const auto left = values_of(base, get);
    const auto right = values_of(other, get);
    if (!left.empty() && !right.empty() && left != right)
        out.push_back(fmt::format("{} differs: {} against {}", what, fmt::join(left, ", "), fmt::join(right, ", ")));
}

template <typename Get>
void warn_mixed(const Group& group, const char* side, const char* what, Get get, std::vector<std::string>& out) {
    const auto values = values_of(group, get);
    if (values.size() > 1)
        out.push_back(fmt::format("{} mixes {}: {}", side, what, fmt::join(values, ", ")));
}

// Settings that have one value on one side and another on the other.
void warn_settings(const Group& base, const Group& other, std::vector<std::string>& out) {
    std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> values;
    for (const Measurement& one : base)
        for (const Setting& setting : one.settings)
            values[setting.name].first.insert(setting.value);
    for (const Measurement& one : other)
        for (const Setting& setting : one.settings)
            values[setting.name].second.insert(setting.value);
    std::vector<std::string> different;
    for (const auto& [name, sides] : values)
        if (!sides.first.empty() && !sides.second.empty() && sides.first != sides.second && name != "snapshot_cache" &&
            name != "max_connections" && name != "port" && name != "data_directory")
            different.push_back(
                fmt::format("{} ({} against {})", name, fmt::join(sides.first, ", "), fmt::join(sides.second, ", ")));
    if (different.empty())
        return;
    const std::size_t more = different.size() - std::min(different.size(), listed);
    different.resize(different.size() - more);
    out.push_back(fmt::format("settings differ: {}{}", fmt::join(different, "; "),
                              more > 0 ? fmt::format(" and {} more", more) : ""));
}

void warn_metric_sources(const Group& base, const Group& other, std::vector<std::string>& out) {
    std::map<std::string, std::set<std::string>> sources;
    for (const Group* group : {&base, &other})
        for (const Measurement& one : *group)
            for (const auto& [name, value] : one.values)
                sources[name].insert(value.source);
    for (const auto& [name, by] : sources)
        if (by.size() > 1)
            out.push_back(fmt::format("{} comes from different sources: {}", name, fmt::join(by, ", ")));
}

// The first run of a series is often cold; ranks and medians bear it, means do not.
void warn_cold(const Group& group, const char* side, std::vector<std::string>& out) {
    std::vector<double> tps;
    for (const Measurement& one : group)
        if (const auto at = one.values.find("tps"); at != one.values.end())
            tps.push_back(at->second.value);
    if (tps.size() < 3)
        return;
    const double slowest = *std::min_element(tps.begin() + 1, tps.end());
    if (tps.front() < cold_fraction * slowest)
        out.push_back(fmt::format("{}: the first run looks cold ({:.0f} % of the slowest later one): {}; medians and "
                                  "ranks are used, the mean suffers",
                                  side, 100 * tps.front() / slowest, group.front().label));
}

void warn_each(const Group& group, const char* side, std::vector<std::string>& out) {
    std::size_t runs_with_losses = 0;
    std::uint64_t lost = 0;
    for (const Measurement& one : group) {
        if (!one.finished)
            out.push_back(one.label + " is unfinished");
        runs_with_losses += one.lost > 0 ? 1 : 0;
        lost += one.lost;
        out.insert(out.end(), one.warnings.begin(), one.warnings.end());
    }
    if (lost > 0)
        out.push_back(
            fmt::format("{}: {} of {} runs lost records, {} in all", side, runs_with_losses, group.size(), lost));
}

} // namespace

Result<std::vector<std::string>> check_conditions(const Group& base, const Group& other) {
    SNAPSCOPE_TRY(check_runs(base));
    SNAPSCOPE_TRY(check_runs(other));
    SNAPSCOPE_TRY(check_equal(
        base, other, [](const Measurement& one) { return one.reconnect; },
        [](bool reconnect) { return reconnect ? "connects anew for each transaction" : "keeps its connections"; },
        "tps with and without -C are different quantities"));
    SNAPSCOPE_TRY(check_equal(
        base, other, [](const Measurement& one) { return one.tps_includes_connecting; },
        [](bool includes) { return includes ? "tps including connecting" : "tps excluding connecting"; },
        "take the same of pgbench's two figures on both sides"));
    SNAPSCOPE_TRY(check_equal(
        base, other, [](const Measurement& one) { return one.clients; },
        [](std::uint32_t clients) { return fmt::format("{} clients", clients); },
        "compare runs with the same number of clients"));

    std::vector<std::string> out;
    for (const Measurement& one : base)
        if (std::any_of(other.begin(), other.end(),
                        [&](const Measurement& it) { return one.run_id && it.run_id == one.run_id; }))
            out.push_back(one.label + " stands on both sides");
    const auto host = [](const Measurement& one) { return one.host; };
    const auto version = [](const Measurement& one) { return one.server_version; };
    const auto cache = [](const Measurement& one) { return one.snapshot_cache; };
    const auto connections = [](const Measurement& one) {
        return one.max_connections ? std::to_string(*one.max_connections) : std::string();
    };
    // A run without a load differs from one with; rows of a table do not tell.
    const auto load = [](const Measurement& one) {
        return one.load.empty() && one.run_id ? std::string("none") : one.load;
    };
    const auto sources = [](const Measurement& one) { return fmt::format("{}", fmt::join(one.active_sources, "+")); };
    warn_different(base, other, "host", host, out);
    warn_different(base, other, "server version", version, out);
    warn_different(base, other, "max_connections", connections, out);
    warn_settings(base, other, out);
    warn_different(base, other, "the load", load, out);
    warn_different(base, other, "what was observed (it costs time)", sources, out);
    for (const auto& [group, side] : {std::pair{&base, "base"}, std::pair{&other, "new"}}) {
        warn_mixed(*group, side, "snapshot_cache modes", cache, out);
        warn_mixed(*group, side, "max_connections", connections, out);
        warn_mixed(*group, side, "loads", load, out);
        warn_mixed(*group, side, "server versions", version, out);
        warn_cold(*group, side, out);
        warn_each(*group, side, out);
    }
    warn_metric_sources(base, other, out);
    return out;
}

} // namespace snapscope
