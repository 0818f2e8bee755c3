#include "model.hpp"

#include <snapscope/analyzer/histograms.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

namespace snapscope::cli {
namespace {

constexpr std::size_t longest_history = 512;
constexpr double ns_per_s = 1e9;

EvidenceKind kind_of(const std::vector<SourceStatus>& sources, const std::string& name) {
    const auto found = std::ranges::find(sources, name, &SourceStatus::name);
    return found == sources.end() ? EvidenceKind::counted : found->kind;
}

// What was added to NOW since BEFORE, which is of the same buckets or empty.
Histogram added(const Histogram& now, const std::vector<Histogram>& before) {
    Histogram out = now;
    out.min.reset(); // extremes are of the whole time
    out.max.reset();
    for (const Histogram& old : before) {
        if (old.source != now.source || old.label != now.label || old.name != now.name)
            continue;
        // A histogram that grew has more buckets; a bucket is found by its bound.
        for (std::size_t i = 0; i < out.counts.size(); ++i) {
            const auto place = std::ranges::lower_bound(old.bounds, out.bounds[i]);
            const auto at = static_cast<std::size_t>(place - old.bounds.begin());
            if (at < old.counts.size() && *place == out.bounds[i])
                out.counts[i] -= std::min(out.counts[i], old.counts[at]);
        }
    }
    return out;
}

std::vector<CpuShare> added(const std::vector<CpuShare>& now, const std::vector<CpuShare>& before) {
    std::vector<CpuShare> out;
    for (CpuShare share : now) {
        const auto old = std::ranges::find(before, share.cpu, &CpuShare::cpu);
        share.run_ns -= old == before.end() ? 0 : old->run_ns;
        if (share.run_ns > 0)
            out.push_back(share);
    }
    return out;
}

} // namespace

bool is_state(const std::string& name, const std::string& unit) {
    constexpr std::array<std::string_view, 4> units{"xids", "slot", "1/s", "%"};
    return std::ranges::find(units, unit) != units.end() || name.starts_with("slots_") || name.ends_with("_share") ||
           name.ends_with("_age");
}

const TopNumber* TopState::number(const std::string& name) const {
    const TopNumber* first = nullptr;
    for (const TopNumber& row : numbers)
        if (row.name == name && (first == nullptr || (!first->value && row.value)))
            first = &row;
    return first;
}

void TopModel::attached(const SessionInfo& info) {
    state_.target = info.postmaster.describe();
    state_.server = info.server;
    state_.trouble.clear();
    series_ = info.series;
    socket_of_cpu_.clear();
    std::set<std::uint32_t> sockets;
    for (const Cpu& cpu : info.cpus) {
        socket_of_cpu_[cpu.cpu] = cpu.socket;
        sockets.insert(cpu.socket);
    }
    state_.sockets = sockets.size();
    last_histograms_.clear();
    last_slots_.clear();
    last_socket_.clear();
}

void TopModel::away(const std::string& why) {
    if (state_.trouble.empty())
        ++state_.gaps;
    state_.trouble = why;
    state_.interval_s = 0;
    state_.numbers.clear();
    state_.durations.clear();
    state_.slots.clear();
    state_.sources.clear();
    state_.history.emplace_back();
}

void TopModel::add(const SessionSample& sample) {
    const double seconds = static_cast<double>(sample.end_ns - sample.start_ns) / ns_per_s;
    if (seconds <= 0)
        return;
    state_.interval_s = seconds;
    state_.sources = sample.sources;
    count_numbers(sample, seconds);
    time_snapshots(sample.look);
    place_slots(sample.look, seconds);
    const TopNumber* taken = state_.number("snapshots_taken");
    state_.history.push_back(taken != nullptr ? taken->value : std::nullopt);
    if (state_.history.size() > longest_history)
        state_.history.pop_front();
}

void TopModel::count_numbers(const SessionSample& sample, double seconds) {
    state_.numbers.clear();
    for (std::size_t i = 0; i < series_.size() && i < sample.values.size(); ++i) {
        const Series& series = series_[i];
        TopNumber row{series.name,
                      series.source,
                      series.unit,
                      kind_of(sample.sources, series.source),
                      is_state(series.name, series.unit),
                      sample.values[i]};
        if (row.value && !row.state)
            *row.value /= seconds;
        state_.numbers.push_back(std::move(row));
    }
}

void TopModel::time_snapshots(const Run& look) {
    state_.durations.clear();
    for (const Histogram& now : look.histograms) {
        if (now.name != "snapshot_duration")
            continue;
        const Histogram since = added(now, last_histograms_);
        TopDuration row;
        row.source = now.source;
        row.outcome = now.label;
        row.timed = histogram_count(since);
        row.p50 = quantile_bounds(since, 0.5);
        row.p90 = quantile_bounds(since, 0.9);
        row.p99 = quantile_bounds(since, 0.99);
        state_.durations.push_back(std::move(row));
    }
    last_histograms_ = look.histograms;
}

std::optional<std::uint32_t> TopModel::socket_of(const std::vector<CpuShare>& ran) const {
    const auto most = std::ranges::max_element(ran, {}, &CpuShare::run_ns);
    if (most == ran.end())
        return std::nullopt;
    const auto socket = socket_of_cpu_.find(most->cpu);
    return socket == socket_of_cpu_.end() ? std::nullopt : std::optional(socket->second);
}

void TopModel::place_slots(const Run& look, double seconds) {
    state_.slots.clear();
    for (const Slot& now : look.slots) {
        const auto before = last_slots_.find(now.slot);
        const Slot& old = before == last_slots_.end() ? Slot{} : before->second;
        TopSlot row;
        row.slot = now.slot;
        row.pid = now.pid;
        if (now.taken)
            row.snapshots_per_s =
                static_cast<double>(*now.taken - std::min(old.taken.value_or(0), *now.taken)) / seconds;
        const auto ran = added(now.residency, old.residency);
        if (!now.residency.empty()) {
            std::int64_t run_ns = 0;
            for (const CpuShare& share : ran)
                run_ns += share.run_ns;
            row.cpu_share = static_cast<double>(run_ns) / ns_per_s / seconds;
        }
        if (const auto socket = socket_of(ran))
            last_socket_[now.slot] = *socket;
        if (const auto socket = last_socket_.find(now.slot); socket != last_socket_.end())
            row.socket = socket->second;
        state_.slots.push_back(row);
    }
    last_slots_.clear();
    for (const Slot& now : look.slots)
        last_slots_[now.slot] = now;
}

} // namespace snapscope::cli
