#include "report_samples.hpp"

#include <cmath>
#include <fmt/format.h>
#include <sample_run.hpp>

namespace snapscope::samples {
namespace {

constexpr std::int64_t interval_ns = 100'000'000;
constexpr std::uint32_t sockets = 2, cores_of_socket = 12, clients = 24;

// Repeatable noise in [-1, 1].
double noise(std::uint64_t i) {
    std::uint64_t x = i * 0x9E3779B97F4A7C15ULL + 0x1234567ULL;
    x ^= x >> 31U;
    x *= 0xBF58476D1CE4E5B9ULL;
    x ^= x >> 27U;
    return static_cast<double>(x >> 11U) / static_cast<double>(1ULL << 52U) - 1;
}

SourceStatus source(const char* name, EvidenceKind kind, std::uint64_t records, std::uint64_t lost = 0) {
    SourceStatus out;
    out.name = name;
    out.kind = kind;
    out.state = lost > 0 ? SourceState::degraded : SourceState::active;
    out.records = records;
    out.lost = lost;
    if (lost > 0) {
        out.reason = std::to_string(lost) + " events lost";
        out.hint = "enlarge the server's rings or record fewer events";
        out.losses = {{"ring_full", lost}};
    }
    return out;
}

SourceStatus missing(const char* name, EvidenceKind kind, const char* reason, const char* hint) {
    SourceStatus out;
    out.name = name;
    out.kind = kind;
    out.reason = reason;
    out.hint = hint;
    return out;
}

void add_host(Run& run) {
    run.host.name = "db1";
    run.host.kernel = "6.1.0";
    run.host.cpu_model = "Two sockets of twelve cores";
    run.host.memory_bytes = 256ULL << 30U;
    for (std::uint32_t i = 0; i < sockets * cores_of_socket; ++i)
        run.host.cpus.push_back({i, i, i / cores_of_socket, i / cores_of_socket, i / cores_of_socket});
}

void add_windows(Run& run, std::size_t count, std::size_t gap_at) {
    std::int64_t now = run.clock.start_ns;
    for (std::size_t i = 0; i < count; ++i) {
        if (i == gap_at)
            now += 30 * interval_ns;
        run.windows.start_ns.push_back(now);
        run.windows.end_ns.push_back(now + interval_ns);
        now += interval_ns;
    }
    run.clock.end_ns = now;
}

// RATE a second, with waves and noise; the total stands in `totals`, too.
void add_series(Run& run, const std::string& name, const char* from, double rate,
                std::optional<std::size_t> spike = {}) {
    const std::size_t count = run.windows.start_ns.size();
    Series series{name, from, "1", {}};
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const double wave = 1 + 0.15 * std::sin(static_cast<double>(i) / 37) + 0.06 * noise(i + series.name.size());
        double value = std::round(rate * wave / 10);
        if (spike && i == *spike)
            value = spike_per_second / 10;
        sum += value;
        series.values.emplace_back(value);
    }
    run.windows.series.push_back(std::move(series));
    run.totals.push_back({name, from, "1", static_cast<std::int64_t>(sum)});
}

Histogram durations(const char* label, double centre_log2, double count) {
    Histogram out{"snapshot_duration", "ring", "ns", label, {}, {}, std::nullopt, std::nullopt};
    for (int i = 0; i <= 160; ++i)
        out.bounds.push_back(std::round(16 * std::exp2(i / 8.0)));
    for (int i = 0; i < 160; ++i) {
        const double far = 4 + i / 8.0 - centre_log2;
        const double tail = 0.003 * std::exp(-std::fabs(far) / 1.6);
        out.counts.push_back(static_cast<std::uint64_t>(count * (0.2 * std::exp(-far * far * 2.2) + tail)));
    }
    return out;
}

void add_slots(Run& run) {
    const std::uint32_t entries = 1120;
    run.layout.arrays = {{"PGXACT", 0x7f001234567cULL, 12, entries, 211, 280},
                         {"PGPROC", 0x7f0012400000ULL, 856, entries, 14980, 1100}};
    for (std::uint32_t i = 0; i < 1000 + 8; ++i) {
        Slot slot;
        slot.slot = i;
        slot.pid = 4000 + i;
        slot.backend = i < 1000 ? "client backend" : "autovacuum worker";
        slot.taken = slot.reused = slot.rebuilt = slot.private_scans = slot.migrations = 0;
        if (i % 41 == 7 && i / 41 < clients) {
            slot.taken = static_cast<std::uint64_t>(40000 + 30000 * noise(i));
            slot.rebuilt = *slot.taken / 6;
            slot.private_scans = *slot.taken / 90;
            slot.reused = *slot.taken - *slot.rebuilt - *slot.private_scans;
            slot.migrations = i % 5;
            const std::uint32_t home = i % (sockets * cores_of_socket);
            slot.residency = {{home, 800'000'000}, {(home + 1) % 24, 150'000'000}, {(home + 13) % 24, 50'000'000}};
        }
        SlotSamples samples;
        samples.source = "mirror";
        samples.taken = 60'000;
        samples.with_xid = i % 41 == 7 ? 9'000 : 0;
        samples.xmin_samples = 6'000;
        samples.with_xmin = i % 41 == 7 ? 2'500 : 0;
        samples.held_horizon = i == 48 ? 2'000 : 0;
        samples.horizon_age = i == 48 ? 79'600 : 0;
        samples.oldest_xmin_age = 0;
        slot.samples = {samples};
        run.slots.push_back(std::move(slot));
    }
    for (std::uint32_t i = 1000; i < 1004; ++i) // auxiliary: nobody can tell
        run.slots[i].taken = run.slots[i].reused = run.slots[i].rebuilt = run.slots[i].private_scans = std::nullopt;
}

Matrix square(const char* name, const char* from, const char* by, std::uint32_t size) {
    Matrix out{name, from, "1", by, {}, {}, {}};
    for (std::uint32_t i = 0; i < size; ++i) {
        out.readers.push_back(std::to_string(i));
        out.writers.push_back(std::to_string(i));
    }
    for (std::uint32_t r = 0; r < size; ++r)
        for (std::uint32_t w = 0; w < size; ++w)
            out.counts.push_back(r == w ? 0
                                        : std::round(900 + 700 * noise(r * size + w) + (r / 12 == w / 12 ? 0 : 2500)));
    return out;
}

void add_matrices(Run& run) {
    run.matrices = {square("transfers", "hitm", "socket", sockets), square("transfers", "hitm", "core", 24),
                    square("transfers", "simulate", "socket", sockets), square("transfers", "emulate", "node", sockets),
                    square("transfers", "linetimer", "socket", sockets)};
    Matrix lines{"line_transfers", "simulate", "1", "line", {}, {"0", "1"}, {}};
    for (std::uint32_t line = 0; line < 60; ++line) {
        lines.readers.push_back("PGXACT line " + std::to_string(line));
        for (std::uint32_t socket = 0; socket < sockets; ++socket)
            lines.counts.push_back(line % 8 == 1   ? std::round(3000 + 2000 * noise(line * 2 + socket))
                                   : line % 8 == 2 ? 12
                                                   : 0);
    }
    run.matrices.push_back(std::move(lines));
}

void add_horizon(Run& run) {
    const std::size_t count = run.windows.start_ns.size();
    Series age{"horizon_age", "mirror", "xids", {}};
    Series holder{"horizon_holder_slot", "mirror", "slot", {}};
    for (std::size_t i = 0; i < count; ++i) {
        const bool held = i > count / 3 && i < 2 * count / 3;
        age.values.emplace_back(held ? static_cast<double>(i - count / 3) * 400 : 40 + 20 * noise(i));
        holder.values.emplace_back(held ? 48 : static_cast<double>(7 + 41 * (i % 9)));
    }
    run.windows.series.push_back(std::move(age));
    run.windows.series.push_back(std::move(holder));
    run.totals.push_back({"samples", "mirror", "1", 60'000});
    run.totals.push_back({"xmin_samples", "mirror", "1", 6'000});
    run.totals.push_back({"horizon_age", "mirror", "xids", 79'600});
}

void add_load(Run& run, double tps) {
    Workload load;
    load.command = "pgbench -n -M prepared -c 24 -T 60 -f mixed.sql";
    load.exit_status = 0;
    load.tps = tps;
    load.latency_ms = 24e3 / tps;
    load.clients = clients;
    load.clients_aborted = 0;
    load.transactions = static_cast<std::uint64_t>(tps * 60);
    load.transactions_failed = 0;
    load.valid = true;
    run.workload = std::move(load);
}

// One run of a comparison.
Measurement one_run(std::uint32_t round, bool copy, bool paired) {
    const std::uint64_t seed = round * 2 + (copy ? 1 : 0);
    const double day = 1 + 0.08 * noise(round * 31);
    Measurement out;
    out.label = std::string(copy ? "copy" : "off") + "-" + std::to_string(round) + ".snap";
    out.run_id = fmt::format("{:032x}", seed);
    if (paired)
        out.pairing = Pairing{"series", round, copy ? 1U : 0U};
    out.clients = clients;
    out.snapshot_cache = copy ? "copy" : "off";
    out.active_sources = {"ring", "sched"};
    const auto add = [&](const char* name, double value, const char* from) {
        out.values[name] = {value * day * (1 + 0.02 * noise(seed * 7 + out.values.size())), from};
    };
    add("tps", copy ? 43100 : 39800, "workload");
    add("server_cpu_us_per_xact", copy ? 41 : 48.5, "sched");
    add("snapshot_ns", copy ? 310 : 1460, "ring");
    add("latency_ms", copy ? 0.56 : 0.6, "workload");
    add("lines_per_snapshot", copy ? 3.1 : 44, "ring");
    out.values["reused_share"] = {copy ? 0.81 + 0.01 * noise(seed) : 0, "ring"};
    out.values["rebuilt_share"] = {copy ? 0.18 + 0.01 * noise(seed) : 0, "ring"};
    return out;
}

} // namespace

Run rich_run() {
    Run run = bare_sample_run();
    run.slots.clear();
    run.clock.wall_start = "2024-05-01T12:00:00.000000001Z";
    run.server = full_sample_run().server;
    run.server.version = "13.16";
    run.server.snapshot_cache = "copy";
    run.server.settings = {{"shared_buffers", "1GB"}, {"snapshot_cache", "copy"}};
    add_host(run);
    run.sources = {source("ring", EvidenceKind::counted, 2'000'000, 1234),
                   source("sched", EvidenceKind::counted, 90'000),
                   source("sql", EvidenceKind::counted, 610),
                   source("mirror", EvidenceKind::sampled, 60'000),
                   source("hitm", EvidenceKind::measured, 4'000),
                   source("linetimer", EvidenceKind::inferred, 800),
                   source("emulate", EvidenceKind::emulated, 1),
                   source("simulate", EvidenceKind::modelled, 1),
                   missing("pcm", EvidenceKind::measured, "no MSR or PCI CFG space access",
                           "run on bare metal, or give the guest a virtual PMU")};
    add_windows(run, 600, 420);
    add_series(run, "snapshots_taken", "ring", 86'000);
    add_series(run, "snapshots_reused", "ring", 70'000, 250);
    add_series(run, "snapshots_rebuilt", "ring", 15'000);
    add_series(run, "snapshots_private_scans", "ring", 1'000);
    add_series(run, "xacts_with_xid", "ring", 21'000);
    add_series(run, "xacts_without_xid", "ring", 22'000);
    add_series(run, "xacts_committed", "sql", 42'800);
    add_series(run, "xacts_rolled_back", "sql", 10);
    add_series(run, "invalidations_xact_end", "ring", 21'000);
    add_series(run, "invalidations_proc_add_xid", "ring", 900);
    add_series(run, "invalidations_vacuum_flag", "ring", 30);
    add_series(run, "server_cpu_ns", "sched", 17.5e9);
    add_series(run, "migrations", "sched", 120);
    add_series(run, "lines_scanned", "ring", 290'000);
    add_series(run, "transfers_cross_socket", "hitm", 52'000);
    add_series(run, "transfers_cross_socket_model", "simulate", 61'000);
    // The outcomes add up.
    for (Total& total : run.totals)
        if (total.name == "snapshots_taken") {
            total.value = 0;
            for (const Total& part : run.totals)
                if (part.name == "snapshots_reused" || part.name == "snapshots_rebuilt" ||
                    part.name == "snapshots_private_scans")
                    *total.value += part.value.value_or(0);
        }
    run.totals.push_back({"snapshots_waited", "ring", "1", std::nullopt});
    run.histograms = {durations("reused", 7.6, 4'200'000), durations("rebuilt", 10.4, 900'000),
                      durations("private_scan", 10.9, 60'000)};
    add_slots(run);
    add_matrices(run);
    add_horizon(run);
    add_load(run, 42'950.25);
    run.warnings = {"the TSC is not invariant"};
    return run;
}

Run empty_run() {
    Run run = bare_sample_run();
    run.slots.clear();
    run.layout.arrays.clear();
    run.sources = {missing("ring", EvidenceKind::counted, "this server has no rings", "use the patched server"),
                   missing("ebpf", EvidenceKind::counted, "no CAP_BPF", "run as root, or setcap cap_bpf+ep"),
                   missing("hitm", EvidenceKind::measured, "no hardware PMU in this VM", "HITM needs bare metal")};
    return run;
}

const std::vector<std::string>& hostile_names() {
    static const std::vector<std::string> names{
        "<script>window.hacked=1</script>",
        "</script><img src=x onerror=window.hacked=1>",
        "\"onmouseover=\"window.hacked=1\" x=\"",
        "' onfocus='window.hacked=1' '",
        "<!--<script>",
        "]]>&lt;b&gt;&#60;",
        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d \xd8\xb3\xd9\x84\xd8\xa7\xd9\x85",
        "user\xe2\x80\xaegpj.exe\xe2\x81\xa6",
        "\xf0\x9f\x90\x98 elephant",
        std::string("bell\a nul\0 byte", 14),
        "broken \xff\xc3( utf-8",
        "javascript:window.hacked=1",
    };
    return names;
}

Run hostile_run() {
    Run run = rich_run();
    const auto& names = hostile_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        run.server.settings.push_back({names[i], names[(i + 1) % names.size()]});
        run.slots.at(i * 41 + 7).backend = names[i];
        run.warnings.push_back(names[i]);
        run.matrices.front().readers.front() = names[0];
        run.matrices.front().writers.front() = names[1];
        run.sources.at(i % run.sources.size()).reason += names[i];
        run.sources.at(i % run.sources.size()).hint += names[i];
    }
    run.server.version = names[0];
    run.server.snapshot_cache = names[1];
    run.server.pgdata = names[2];
    run.server.build_id = names[3];
    run.host.name = names[1];
    run.host.kernel = names[4];
    run.host.cpu_model = names[6];
    run.tool_version = names[0];
    run.workload->command = names[1] + names[2] + names[7];
    run.workload->notes = names;
    run.histograms.front().label = names[1];
    run.windows.series.back().unit = names[0];
    return run;
}

Run long_run(std::size_t windows) {
    Run run = rich_run();
    run.windows = {};
    run.totals.clear();
    add_windows(run, windows, windows);
    add_series(run, "snapshots_taken", "ring", 86'000);
    add_series(run, "snapshots_reused", "ring", 70'000, windows / 3);
    add_series(run, "xacts_with_xid", "ring", 21'000);
    add_series(run, "xacts_without_xid", "ring", 22'000);
    return run;
}

DiffReport comparison(std::uint32_t rounds, bool paired) {
    DiffReport report;
    for (std::uint32_t round = 1; round <= rounds; ++round) {
        report.base.push_back(one_run(round, false, paired));
        report.other.push_back(one_run(round, true, paired));
    }
    report.kinds = {{"ring", EvidenceKind::counted}, {"sched", EvidenceKind::counted}};
    report.diff = diff(report.base, report.other).value();
    return report;
}

} // namespace snapscope::samples
