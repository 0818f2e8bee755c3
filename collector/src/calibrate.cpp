#include "calibrate_plan.hpp"
#include "core_pair.hpp"
#include "host.hpp"
#include "host_probes.hpp"
#include "load_samples.hpp"
#include "load_threshold.hpp"
#include "topology.hpp"

#include <snapscope/collector/calibrate.hpp>
#include <snapscope/collector/source.hpp>
#include <snapscope/collector/timed_load.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <numeric>
#include <thread>

namespace snapscope {
namespace {

// Pairs of a border whose loads are timed, each in both directions.
constexpr std::size_t load_pairs = 4;
// A counter that advances in coarser steps cannot tell a load from a miss.
constexpr double coarsest_step_ns = 5;
// A bounce, a round, that the other CPU kept from happening.
constexpr double many_lost = 0.1;

// Cycles over ns, of 50 ms.
double cycles_per_ns() {
    const std::int64_t begin_ns = monotonic_ns();
    const std::uint64_t begin = cycles_now();
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    const std::int64_t end_ns = monotonic_ns();
    const std::uint64_t end = cycles_now();
    return static_cast<double>(end - begin) / static_cast<double>(end_ns - begin_ns);
}

// What all readings are multiples of, cycles: the counter may advance in large steps.
std::uint64_t counter_step() {
    std::uint64_t step = 0;
    std::uint64_t last = cycles_now();
    for (int i = 0; i < 1000; ++i) {
        const std::uint64_t now = cycles_now();
        step = std::gcd(step, now - last);
        last = now;
    }
    return step;
}

// All samples of one border, by state.
using ByBorder = std::array<LoadSamples, border_count>;

void append(LoadSamples& all, LoadSamples more) {
    for (std::size_t state = 0; state < line_state_count; ++state)
        all.at(state).insert(all.at(state).end(), more.at(state).begin(), more.at(state).end());
}

LoadRow row_of(Border border, LineState state, const std::vector<std::uint32_t>& samples) {
    std::vector<double> cycles(samples.begin(), samples.end());
    return {border, state, cycles.size(), spread_of(cycles)};
}

class Calibration {
  public:
    Calibration(const CalibrateOptions& options, const std::atomic<bool>& stop, const CalibrateProgress& progress)
        : options_(options), stop_(stop), progress_(progress) {}

    Result<CoreLatencies> run() {
        SNAPSCOPE_TRY(look_around());
        SNAPSCOPE_TRY(bounce_all());
        SNAPSCOPE_TRY(time_all());
        judge();
        return std::move(out_);
    }

  private:
    Status look_around() {
        SNAPSCOPE_TRY(probe_load_timing());
        auto host = describe_host();
        if (!host)
            return fail(host.error());
        out_.host = std::move(*host);
        const auto cpus = allowed_cpus({out_.host.cpus, 0});
        SNAPSCOPE_TRY(check_two_cpus(cpus.size()));
        out_.host.cpus = cpus;
        out_.tool_version = options_.tool_version;
        out_.counter = cycle_counter;
        out_.cycles_per_ns = cycles_per_ns();
        out_.pairs_possible = cpus.size() * (cpus.size() - 1) / 2;
        pairs_ = plan_pairs(cpus, options_.most_pairs);
        timed_ = some_of_each_border(pairs_, load_pairs);
        return {};
    }

    Status step() {
        if (stop_.load())
            return fail("interrupted before the calibration was done; nothing was written");
        progress_(done_++, pairs_.size() + timed_.size());
        return {};
    }

    Status bounce_all() {
        for (const auto& [a, b] : pairs_) {
            SNAPSCOPE_TRY(step());
            auto bounces = bounce_line(a.cpu, b.cpu, {});
            if (!bounces)
                return fail(bounces.error());
            CorePair row;
            row.a = a.cpu;
            row.b = b.cpu;
            row.border = border_between(a, b);
            row.rounds = bounces->one_way_cycles.size();
            row.rounds_lost = bounces->rounds_lost;
            if (row.rounds > 0) {
                row.one_way_cycles = spread_of(bounces->one_way_cycles);
                row.counter_offset_cycles = bounces->offset_cycles();
                row.counter_offset_bound = bounces->offset_bound_cycles();
            }
            lost_ += row.rounds_lost;
            out_.pairs.push_back(row);
        }
        out_.borders = border_costs(out_.pairs);
        return {};
    }

    Status time_all() {
        const double step_ns = static_cast<double>(counter_step()) / out_.cycles_per_ns;
        if (step_ns > coarsest_step_ns) {
            out_.warnings.push_back(
                fmt::format("the counter advances in steps of {:.0f} ns: single loads cannot be timed", step_ns));
            return {};
        }
        for (const auto& [a, b] : timed_) {
            SNAPSCOPE_TRY(step());
            for (const auto& [reader, owner] : {std::pair(a.cpu, b.cpu), std::pair(b.cpu, a.cpu)}) {
                auto samples = time_loads(reader, owner, {});
                if (!samples)
                    return fail(samples.error());
                append(samples_.at(static_cast<std::size_t>(border_between(a, b))), std::move(*samples));
            }
        }
        return {};
    }

    // The threshold is between a line that is here and one that another core
    // wrote: of every border but an SMT sibling's, whose first cache is this core's.
    void judge() {
        std::vector<std::uint32_t> here;
        std::vector<std::uint32_t> left;
        for (std::size_t border = 0; border < border_count; ++border) {
            const LoadSamples& samples = samples_.at(border);
            judge_border(static_cast<Border>(border), samples);
            if (static_cast<Border>(border) == Border::same_core)
                continue;
            const auto& own = samples[static_cast<std::size_t>(LineState::own)];
            const auto& dirty = samples[static_cast<std::size_t>(LineState::dirty_remote)];
            here.insert(here.end(), own.begin(), own.end());
            left.insert(left.end(), dirty.begin(), dirty.end());
        }
        out_.threshold = choose_threshold(here, left);
        warn();
    }

    void judge_border(Border border, const LoadSamples& samples) {
        for (std::size_t fast = 0; fast < line_state_count; ++fast) {
            if (samples.at(fast).empty())
                continue;
            out_.loads.push_back(row_of(border, static_cast<LineState>(fast), samples.at(fast)));
            for (std::size_t slow = fast + 1; slow < line_state_count; ++slow)
                if (const auto threshold = choose_threshold(samples.at(fast), samples.at(slow)))
                    out_.separable.push_back(
                        {border, static_cast<LineState>(fast), static_cast<LineState>(slow), error_rate(*threshold)});
        }
    }

    void warn() {
        std::uint64_t rounds = lost_;
        for (const auto& pair : out_.pairs)
            rounds += pair.rounds;
        if (static_cast<double>(lost_) > many_lost * static_cast<double>(rounds))
            out_.warnings.push_back(
                fmt::format("{} of {} rounds were lost because a CPU was busy: calibrate on a quiet "
                            "machine",
                            lost_, rounds));
        if (out_.host.hypervisor)
            out_.warnings.push_back("a virtual machine: what hwloc says of its caches and sockets may not be the "
                                    "hardware's, and its CPUs may move");
        if (!out_.threshold && !out_.loads.empty())
            out_.warnings.push_back(
                "no threshold: no line left a core for another one here in a way that loads showed");
    }

    const CalibrateOptions& options_;
    const std::atomic<bool>& stop_;
    const CalibrateProgress& progress_;
    CoreLatencies out_;
    std::vector<CpuPair> pairs_, timed_;
    ByBorder samples_;
    std::size_t done_ = 0;
    std::uint64_t lost_ = 0;
};

} // namespace

Result<CoreLatencies> calibrate(const CalibrateOptions& options, const std::atomic<bool>& stop,
                                const CalibrateProgress& progress) {
    return Calibration(options, stop, progress).run();
}

} // namespace snapscope
