#include "synthetic_fleet.hpp"

#include <snapscope/recording/wall_clock.hpp>

#include <cmath>
#include <fmt/format.h>
#include <random>

namespace snapscope {
namespace {

constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t first_night_ns = 1'767'225'600 * second_ns; // 2026-01-01T00:00:00Z
constexpr std::uint64_t snapshots = 100'000;

std::mt19937_64 generator(const FleetShape& shape, std::uint32_t host, std::uint32_t night) {
    std::seed_seq seed{shape.seed, std::uint64_t{host}, std::uint64_t{night}};
    return std::mt19937_64(seed);
}

double between(std::mt19937_64& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

// Logarithmic buckets, four to a doubling, around the mean cost.
Histogram durations(double mean_ns) {
    Histogram histogram{"snapshot_duration", "ring", "ns", "", {}, {}, {}, {}};
    constexpr int buckets = 24;
    const double lowest = mean_ns / 8;
    double weight_sum = 0;
    std::vector<double> weights;
    for (int i = 0; i <= buckets; ++i)
        histogram.bounds.push_back(std::round(lowest * std::exp2(i / 4.0) * 100) / 100);
    for (int i = 0; i < buckets; ++i) {
        const double middle = std::sqrt(histogram.bounds[static_cast<std::size_t>(i)] *
                                        histogram.bounds[static_cast<std::size_t>(i) + 1]);
        const double apart = std::log(middle / mean_ns);
        weights.push_back(std::exp(-apart * apart / 0.1));
        weight_sum += weights.back();
    }
    for (const double weight : weights)
        histogram.counts.push_back(static_cast<std::uint64_t>(snapshots * weight / weight_sum));
    return histogram;
}

Series series(const char* name, const char* unit, std::uint32_t windows, double level, std::mt19937_64& random) {
    Series out{name, "ring", unit, {}};
    for (std::uint32_t i = 0; i < windows; ++i)
        out.values.emplace_back(std::round(level * between(random, 0.9, 1.1)));
    return out;
}

} // namespace

std::string host_name(std::uint32_t host) {
    return fmt::format("db{:03}", host);
}
bool is_odd(const FleetShape& shape, std::uint32_t host) {
    return shape.odd_every > 0 && host % shape.odd_every == shape.odd_every / 2;
}
bool is_changing(const FleetShape& shape, std::uint32_t host) {
    return shape.changing_every > 0 && host % shape.changing_every == shape.changing_every / 3;
}

Run synthetic_run(const FleetShape& shape, std::uint32_t host, std::uint32_t night) {
    auto of_host = generator(shape, host, 0xffffffff);
    auto random = generator(shape, host, night);
    std::normal_distribution<double> normal;
    const auto connections = static_cast<std::uint32_t>(between(of_host, 100, 2000));
    const double host_factor = std::exp(0.05 * normal(of_host)) * (is_odd(shape, host) ? 1.6 : 1);
    const double night_factor =
        std::exp(0.04 * normal(random)) * (is_changing(shape, host) && night >= shape.runs_a_host / 2 ? 1.2 : 1);
    const double cost_ns = (30 + 0.7 * connections) * host_factor * night_factor;

    Run run;
    run.id = fmt::format("{:016x}{:08x}{:08x}", shape.seed, host, night);
    run.tool_version = "0.1.0";
    run.finished = true;
    run.clock.start_ns = second_ns;
    run.clock.end_ns = second_ns * (1 + shape.windows);
    run.clock.wall_start = format_wall_time(first_night_ns + night * 86'400 * second_ns + host * second_ns);
    run.host.name = host_name(host);
    run.host.arch = "x86_64";
    run.host.cpu_model = "synthetic";
    for (std::uint32_t cpu = 0; cpu < 4; ++cpu)
        run.host.cpus.push_back({cpu, cpu, cpu / 2, cpu / 2, cpu / 2});
    run.server.version = "13.16";
    run.server.version_num = 130016;
    run.server.snapshot_cache = "off";
    run.server.max_connections = 2100;
    run.server.backends = connections;
    run.sources.push_back(
        {"ring", EvidenceKind::counted, SourceState::active, "", "", second_ns, run.clock.end_ns, snapshots, 0, {}});
    run.totals.push_back({"snapshots_taken", "ring", "1", static_cast<std::int64_t>(snapshots)});
    for (std::uint32_t i = 0; i < shape.windows; ++i) {
        run.windows.start_ns.push_back(second_ns * (1 + i));
        run.windows.end_ns.push_back(second_ns * (2 + i));
    }
    for (const char* name :
         {"snapshots_taken", "snapshots_rebuilt", "xacts_with_xid", "lines_scanned", "invalidations"})
        run.windows.series.push_back(series(name, "1", shape.windows, 1600, random));
    run.histograms.push_back(durations(cost_ns));
    Matrix matrix{"transfers", "hitm", "1", "socket", {"0", "1"}, {"0", "1"}, {}};
    for (int cell = 0; cell < 4; ++cell)
        matrix.counts.push_back(
            std::round(snapshots * 0.001 * connections * host_factor * between(random, 0.95, 1.05)));
    run.sources.push_back(
        {"hitm", EvidenceKind::sampled, SourceState::active, "", "", second_ns, run.clock.end_ns, snapshots, 0, {}});
    run.matrices.push_back(std::move(matrix));
    for (std::uint32_t slot = 0; slot < 8; ++slot) {
        Slot taken;
        taken.slot = slot;
        taken.pid = 1000 + slot;
        taken.taken = snapshots / 8;
        run.slots.push_back(taken);
    }
    run.layout.arrays.push_back({"PGXACT", 0x7f0000000010, 12, 2200, 413, 68});
    return run;
}

} // namespace snapscope
