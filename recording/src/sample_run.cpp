#include "sample_run.hpp"

namespace snapscope {
namespace {

Host sample_host() {
    Host host;
    host.name = "db1";
    host.kernel = "6.1.0";
    host.cpu_model = "Model \"X\" \xc3\xa9";
    host.arch = "x86_64";
    host.hypervisor = "kvm";
    host.cpus = {{0, 0, 0, 0, 0}, {1, 1, 1, 1, std::nullopt}};
    host.memory_bytes = 1ULL << 40;
    return host;
}

Server sample_server() {
    Server server;
    server.version = "13.16";
    server.version_num = 130016;
    server.build_id = "00ff";
    server.pid = 4242;
    server.pgdata = "data";
    server.port = 5432;
    server.snapshot_cache = "lockfree";
    server.max_connections = 1000;
    server.backends = 17;
    server.settings = {{"shared_buffers", "1GB"}};
    return server;
}

Workload sample_workload() {
    Workload load;
    load.command = "pgbench -S -c 8";
    load.exit_status = 0;
    load.tps = 12345.5;
    load.latency_ms = 0.65;
    load.latency_stddev_ms = 0.1;
    load.transactions = 123456;
    load.transactions_failed = 1;
    load.clients = 8;
    load.clients_aborted = 0;
    load.threads = 2;
    load.duration_s = 10.0;
    load.reconnect = true;
    load.valid = true;
    load.notes = {"one client was slow"};
    load.progress_tps = {12000, 12691};
    return load;
}

std::vector<SourceStatus> sample_sources() {
    SourceStatus ring;
    ring.name = "ring";
    ring.state = SourceState::degraded;
    ring.reason = "ring full";
    ring.hint = "drain more often";
    ring.start_ns = 1000;
    ring.end_ns = 9000;
    ring.records = 99;
    ring.lost = 3;
    ring.losses = {{"ring_full", 3}};
    SourceStatus hitm;
    hitm.name = "hitm";
    hitm.kind = EvidenceKind::measured;
    hitm.reason = "no PMU";
    hitm.hint = "use bare metal";
    SourceStatus model;
    model.name = "simulate";
    model.kind = EvidenceKind::modelled;
    model.state = SourceState::active;
    return {ring, hitm, model};
}

SourceStatus sample_mirror() {
    SourceStatus mirror;
    mirror.name = "mirror";
    mirror.kind = EvidenceKind::sampled;
    mirror.state = SourceState::active;
    return mirror;
}

} // namespace

Run full_sample_run() {
    Run run = bare_sample_run();
    run.clock.ticks_per_ns = 2.1;
    run.clock.calibration_error_ns = 35.5;
    run.clock.backward_stamps = 2;
    run.host = sample_host();
    run.server = sample_server();
    run.layout.arrays = {{"PGXACT", 0x7f0012345678, 12, 1120, 210, 40}};
    run.layout.lines_per_scan = 12.5;
    run.layout.memory = MemoryPlacement{
        0x7f0000000000,
        4096,
        "interleave:0-1",
        "1",
        "never",
        {{"PGXACT", 0x7f0012345000, 1'234'567, 1}, {"PGXACT", 0x7f0012346000, std::nullopt, std::nullopt}},
        {"page frames: not permitted"}};
    run.sources = sample_sources();
    run.totals = {{"snapshots_taken", "ring", "1", 1'000'000'007}, {"snapshots_waited", "ring", "1", std::nullopt}};
    run.windows.start_ns = {1000, 5000};
    run.windows.end_ns = {5000, 9000};
    run.windows.series = {{"snapshots_taken", "ring", "1", {10.5, std::nullopt}},
                          {"lines_scanned", "ring", "lines", {0.1, 1e300}}};
    run.histograms = {{"snapshot_duration", "ring", "ns", "reused", {0, 16, 32}, {5, 6}, 3.0, 31.0}};
    run.matrices = {{"transfers", "simulate", "1", "socket", {"0", "1"}, {"0", "1"}, {0, 1.5, 2, 0}}};
    run.slots = {{7, 4300, "client", 10, 5, 4, 1, 0, 2, {{0, 500}, {1, 250}}, 2, 1, std::nullopt, {}}};
    run.slots.front().samples = {{"mirror", 90, 12, 45, 40, 3, 45, 1, 1000, 900, 16384}};
    run.sources.push_back(sample_mirror());
    run.workload = sample_workload();
    run.pairing = Pairing{"cached against uncached", 3, 1};
    run.events = true;
    run.gaps = {{5000, 6000, "upgrade", "the server was restarted with another binary", 4301, "13.17"}};
    run.warnings = {"the TSC is not invariant"};
    return run;
}

Run bare_sample_run() {
    Run run;
    run.id = "0123456789abcdef0123456789abcdef";
    run.tool_version = "0.1.0";
    run.finished = true;
    run.clock.start_ns = 1000;
    run.clock.end_ns = 9000;
    run.clock.wall_start = "2024-05-01T12:00:00.000000001Z";
    run.host = {"h", "k", "c", "a", std::nullopt, {}, 0};
    run.server.version = "18.0";
    run.layout.arrays = {{"xids", 0, 4, 100, 7, 0}};
    run.slots.resize(1);
    return run;
}

} // namespace snapscope
