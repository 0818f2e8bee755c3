#include "model.hpp"

#include <snapscope/analyzer/histograms.hpp>
#include <snapscope/collector/look.hpp>

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
    for (const Cpu& cpu : info.host.cpus) {
        socket_of_cpu_[cpu.cpu] = cpu.socket;
        sockets.insert(cpu.socket);
    }
    state_.sockets = sockets.size();
    last_look_ = {};
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
    const Run since = look_since(last_look_, sample.look);
    time_snapshots(since);
    place_slots(sample.look, since, seconds);
    last_look_ = sample.look;
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

void TopModel::time_snapshots(const Run& since) {
    state_.durations.clear();
    for (const Histogram& histogram : since.histograms) {
        if (histogram.name != "snapshot_duration")
            continue;
        TopDuration row;
        row.source = histogram.source;
        row.outcome = histogram.label;
        row.timed = histogram_count(histogram);
        row.p50 = quantile_bounds(histogram, 0.5);
        row.p90 = quantile_bounds(histogram, 0.9);
        row.p99 = quantile_bounds(histogram, 0.99);
        state_.durations.push_back(std::move(row));
    }
}

std::optional<std::uint32_t> TopModel::socket_of(const std::vector<CpuShare>& ran) const {
    const auto most = std::ranges::max_element(ran, {}, &CpuShare::run_ns);
    if (most == ran.end())
        return std::nullopt;
    const auto socket = socket_of_cpu_.find(most->cpu);
    return socket == socket_of_cpu_.end() ? std::nullopt : std::optional(socket->second);
}

void TopModel::place_slots(const Run& look, const Run& since, double seconds) {
    state_.slots.clear();
    for (std::size_t i = 0; i < look.slots.size(); ++i) {
        const Slot& added = since.slots[i];
        TopSlot row;
        row.slot = added.slot;
        row.pid = added.pid;
        if (added.taken)
            row.snapshots_per_s = static_cast<double>(*added.taken) / seconds;
        if (!look.slots[i].residency.empty()) {
            std::int64_t run_ns = 0;
            for (const CpuShare& share : added.residency)
                run_ns += share.run_ns;
            row.cpu_share = static_cast<double>(run_ns) / ns_per_s / seconds;
        }
        if (const auto socket = socket_of(added.residency))
            last_socket_[added.slot] = *socket;
        if (const auto socket = last_socket_.find(added.slot); socket != last_socket_.end())
            row.socket = socket->second;
        state_.slots.push_back(row);
    }
}

} // namespace snapscope::cli
