#include "trace_counters.hpp"

#include "trace_json.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <numeric>

namespace snapscope {
namespace {

constexpr std::size_t max_transfer_tracks = 200;
constexpr std::string_view transfers_prefix = "transfers";

const Series* find_series(const Run& run, std::string_view name, std::string_view source) {
    for (const Series& series : run.windows.series)
        if (series.name == name && series.source == source)
            return &series;
    return nullptr;
}

} // namespace

TraceCounters::TraceCounters(const Run& run, std::uint32_t process, std::int64_t epoch_ns)
    : run_(run), process_(process), epoch_ns_(epoch_ns),
      order_(std::min(run.windows.start_ns.size(), run.windows.end_ns.size())) {
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    std::stable_sort(order_.begin(), order_.end(),
                     [&](std::size_t a, std::size_t b) { return run.windows.start_ns[a] < run.windows.start_ns[b]; });
    add_counter("tps",
                {{"tps", {find_series(run, "xacts_committed", "sql"), find_series(run, "xacts_rolled_back", "sql")}}});
    for (const char* source : {"ring", "ebpf"}) {
        if (find_series(run, "snapshots_taken", source) == nullptr)
            continue;
        add_counter("snapshots/s", {{"reused", {find_series(run, "snapshots_reused", source)}},
                                    {"rebuilt", {find_series(run, "snapshots_rebuilt", source)}},
                                    {"private_scan", {find_series(run, "snapshots_private_scans", source)}}});
        break;
    }
    std::size_t transfers = 0;
    for (const Series& series : run.windows.series) {
        if (!series.name.starts_with(transfers_prefix) || ++transfers > max_transfer_tracks)
            continue;
        const SourceStatus* status = find_source(run, series.source);
        add_counter(fmt::format("{}/s ({}, {})", series.name, status != nullptr ? to_string(status->kind) : "unknown",
                                series.source),
                    {{"transfers", {&series}}});
    }
}

void TraceCounters::add_counter(std::string name,
                                const std::vector<std::pair<std::string, std::vector<const Series*>>>& tracks) {
    Counter counter{std::move(name), {}};
    for (const auto& [key, sum] : tracks)
        if (std::none_of(sum.begin(), sum.end(), [](const Series* series) { return series == nullptr; }))
            counter.tracks.push_back({key, sum});
    if (!counter.tracks.empty())
        counters_.push_back(std::move(counter));
}

std::optional<std::int64_t> TraceCounters::next() const {
    if (at_ >= order_.size() || counters_.empty())
        return std::nullopt;
    return std::max(run_.windows.start_ns[order_[at_]], epoch_ns_) - epoch_ns_;
}

std::vector<std::string> TraceCounters::take() {
    std::vector<std::string> out;
    const std::int64_t ts = next().value_or(0);
    const std::size_t window = order_[at_++];
    const auto length_ns =
        static_cast<double>(run_.windows.end_ns[window]) - static_cast<double>(run_.windows.start_ns[window]);
    if (length_ns <= 0)
        return out;
    for (const Counter& counter : counters_) {
        TraceArgs args;
        bool any = false;
        for (const Track& track : counter.tracks) {
            double sum = 0;
            const bool known = std::all_of(track.sum.begin(), track.sum.end(), [&](const Series* series) {
                if (window >= series->values.size() || !series->values[window])
                    return false;
                sum += *series->values[window];
                return true;
            });
            if (!known || !std::isfinite(sum))
                continue;
            args.number(track.key, sum * 1e9 / length_ns);
            any = true;
        }
        if (any)
            out.push_back(counter_json(process_, counter.name, ts, args));
    }
    return out;
}

} // namespace snapscope
