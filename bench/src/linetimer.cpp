// How well single timed loads tell how many lines another core has written: a
// toy with known numbers (collector/testprogs/line_toy.hpp).

#include "report.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <line_estimate.hpp>
#include <line_toy.hpp>

namespace snapscope::bench {
namespace {

template <typename T> T or_give_up(Result<T> result) {
    if (!result)
        give_up(result.error().message());
    return std::move(*result);
}

struct Errors {
    double worst_round = 0, worst_over_all = 0; // shares of the truth
};

// The estimates of each round, and that of all rounds together.
void measure_case(Report& report, toy::LineToyPlan plan, std::pair<std::uint32_t, std::uint32_t> cpus, Errors& errors) {
    const int rounds = report.pick(10, 5, 2);
    const LoadThreshold threshold = or_give_up(toy::toy_threshold(cpus.first, cpus.second));
    const auto truth = static_cast<double>(plan.dirtied);
    Rounds estimates;
    TimedLoads all;
    int held = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto seed = static_cast<std::uint64_t>(round) + 1;
        const auto loads = or_give_up(toy::run_line_toy(cpus.first, cpus.second, plan, threshold, seed));
        const auto estimate = or_give_up(estimate_lines(plan.lines, {loads.loads(), loads.slow()}, threshold));
        estimates.push_back(estimate.lines);
        held += estimate.low <= truth && truth <= estimate.high ? 1 : 0;
        all.loads += loads.loads();
        all.slow += loads.slow();
        if (plan.spaced)
            errors.worst_round = std::max(errors.worst_round, std::abs(estimate.lines / truth - 1));
    }
    const auto together = or_give_up(estimate_lines(plan.lines, all, threshold));
    if (plan.spaced)
        errors.worst_over_all = std::max(errors.worst_over_all, std::abs(together.lines / truth - 1));
    report.add_row({{"lines", std::to_string(plan.lines)},
                    {"written", std::to_string(plan.dirtied)},
                    {"writes", plan.spaced ? "spaced" : "burst"},
                    {"all rounds", fmt::format("{:.1f} [{:.1f}, {:.1f}]", together.lines, together.low, together.high)},
                    {"intervals that hold it", fmt::format("{} of {}", held, rounds)}},
                   "lines", estimates);
}

void measure(Report& report) {
    const auto cpus = or_give_up(toy::two_cpus());
    Errors errors;
    toy::LineToyPlan plan;
    plan.loads = report.pick(1000U, 500U, 100U);
    for (const bool spaced : {true, false}) {
        plan.spaced = spaced;
        for (const std::size_t written : {23U, 47U, 94U, 141U, 188U}) {
            progress(fmt::format("{} of 188 lines, {}", written, spaced ? "spaced" : "in a burst"));
            plan.lines = 188;
            plan.dirtied = written;
            measure_case(report, plan, cpus, errors);
        }
    }
    report.note(
        fmt::format("writes spaced: {:.0f} % off in the worst round, {:.0f} % over all rounds of the worst case",
                    100 * errors.worst_round, 100 * errors.worst_over_all));
    report.note("writes in a burst also move neighbours of what is written, by the writer's own prefetcher: the "
                "estimate counts those, as it should");
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "linetimer", snapscope::bench::measure);
}
