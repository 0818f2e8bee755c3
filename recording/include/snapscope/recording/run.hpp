// What a run says, in memory: the contents of run.json (docs/run-schema.json)
// field by field.  Writers fill it, readers get it back; it holds no logic.
//
// Absent is not zero: whatever a source could not tell is std::nullopt and
// becomes null.  Every number stands beside its source, and the source's row
// in `sources` gives the kind of evidence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

inline constexpr int run_schema_version = 1;

enum class EvidenceKind { counted, sampled, measured, inferred, emulated, modelled };

// `available` is doctor's word; a run has the other three.
enum class SourceState { available, active, degraded, unavailable };

struct NamedCount {
    std::string name;
    std::uint64_t count = 0;
};

struct SourceStatus {
    std::string name; // ring, ebpf, sched, sql, mirror, watch, linetimer, hitm, pcm, emulate, simulate
    EvidenceKind kind = EvidenceKind::counted;
    SourceState state = SourceState::unavailable;
    std::string reason;        // why degraded or unavailable; empty when active
    std::string hint;          // what to do about it
    std::int64_t start_ns = 0; // CLOCK_MONOTONIC: first and last moment it watched
    std::int64_t end_ns = 0;
    std::uint64_t records = 0;      // records kept
    std::uint64_t lost = 0;         // all ways together
    std::vector<NamedCount> losses; // by way, e.g. ring_full, bpf_reserve
};

// One number over the whole run.
struct Total {
    std::string name;   // e.g. snapshots_taken; snake_case
    std::string source; // names a row of `sources`
    std::string unit;   // 1, ns, lines, bytes, ...
    std::optional<std::int64_t> value;
};

// One column of a time series; values[i] belongs to window i.
struct Series {
    std::string name;
    std::string source;
    std::string unit;
    std::vector<std::optional<double>> values;
};

// Row i covers [start_ns[i], end_ns[i]); gaps between rows are allowed.
struct Windows {
    std::vector<std::int64_t> start_ns; // CLOCK_MONOTONIC
    std::vector<std::int64_t> end_ns;
    std::vector<Series> series;
};

// Bucket i holds values in [bounds[i], bounds[i + 1]); counts has one entry less than bounds.
struct Histogram {
    std::string name; // e.g. snapshot_duration
    std::string source;
    std::string unit;
    std::string label; // e.g. an outcome; empty for all
    std::vector<double> bounds;
    std::vector<std::uint64_t> counts;
    std::optional<double> min, max; // exact extremes where known
};

// counts[r * writers.size() + w]: reader r, writer w.
struct Matrix {
    std::string name; // e.g. transfers
    std::string source;
    std::string unit;
    std::string by; // core, llc, node, socket
    std::vector<std::string> readers, writers;
    std::vector<double> counts;
};

struct CpuShare {
    std::uint32_t cpu = 0;
    std::int64_t run_ns = 0;
};

// What looks at a slot found, by a source of kind `sampled`: counts of looks.
struct SlotSamples {
    std::string source;                            // names a row of `sources`
    std::uint64_t taken = 0, with_xid = 0;         // looks that found it taken; with an xid
    std::optional<std::uint64_t> xmin_samples;     // looks at its xmin while taken
    std::optional<std::uint64_t> with_xmin;        // of them, with one
    std::optional<std::uint64_t> held_horizon;     // of them, that found none older
    std::optional<std::uint64_t> proc_samples;     // looks at what it waits for
    std::optional<std::uint64_t> waiting_for_lock; // of them, for ProcArrayLock
    std::optional<std::uint64_t> oldest_xmin_age;  // the most seen, in xids
    std::optional<std::uint64_t> horizon_age;      // the most seen while it held the horizon back, in xids
    std::optional<std::uint32_t> database;         // oid, last seen; 0: none
};

struct Slot {
    std::uint32_t slot = 0;
    std::optional<std::uint32_t> pid;   // owner at the end of the run
    std::optional<std::string> backend; // client, autovacuum launcher, ...
    std::optional<std::uint64_t> taken, reused, rebuilt, private_scans;
    std::optional<std::uint64_t> events_lost;
    std::optional<std::uint64_t> migrations; // by sched
    std::vector<CpuShare> residency;         // by sched
    // Of the migrations, those into another group; by sched.
    std::optional<std::uint64_t> migrations_across_llc, migrations_across_node, migrations_across_socket;
    std::vector<SlotSamples> samples; // by mirror
};

struct Array {
    std::string name; // PGXACT, xids, PGPROC, ...
    std::uint64_t address = 0;
    std::uint64_t stride_bytes = 0;
    std::uint64_t entries = 0;
    std::uint64_t lines = 0; // 64-byte lines that the whole array spans
    std::uint64_t straddling_entries = 0;
};

// One page of an array that snapshots read or write, where the kernel put it.
struct HotPage {
    std::string array;                  // names a row of Layout::arrays
    std::uint64_t address = 0;          // in the server
    std::optional<std::uint64_t> frame; // physical page frame number, in units of 4 KiB pages on x86-64
    std::optional<std::uint32_t> node;  // NUMA node
};

// How the kernel placed the server's shared memory when the recording began.
struct MemoryPlacement {
    std::uint64_t segment_address = 0;           // where the mapping with the arrays begins
    std::optional<std::uint64_t> page_bytes;     // really used
    std::optional<std::string> policy;           // of the mapping: default, interleave:0-1, ...
    std::optional<std::string> numa_balancing;   // kernel.numa_balancing
    std::optional<std::string> shmem_huge_pages; // of transparent huge pages for shared memory: never, always, ...
    std::vector<HotPage> pages;
    std::vector<std::string> notes; // why something is null
};

struct Layout {
    std::vector<Array> arrays;
    std::optional<double> lines_per_scan;
    std::optional<MemoryPlacement> memory;
};

struct Cpu {
    std::uint32_t cpu = 0, core = 0, node = 0, socket = 0;
    std::optional<std::uint32_t> llc;
};

struct Host {
    std::string name, kernel, cpu_model, arch;
    std::optional<std::string> hypervisor;
    std::vector<Cpu> cpus;
    std::uint64_t memory_bytes = 0;
};

struct Setting {
    std::string name, value;
};

struct Server {
    std::string version; // "13.16"
    std::optional<std::uint32_t> version_num;
    std::optional<std::string> build_id;
    std::uint32_t pid = 0; // postmaster
    std::optional<std::string> pgdata;
    std::optional<std::uint16_t> port;
    std::string snapshot_cache = "n/a"; // off, copy, spin, lockfree, n/a
    std::optional<std::uint32_t> max_connections;
    std::optional<std::uint32_t> backends; // connected when the run began
    std::vector<Setting> settings;
};

struct Workload {
    std::string command;
    std::optional<int> exit_status;
    std::optional<double> tps;        // without the time for connecting, unless reconnect
    std::optional<double> latency_ms; // mean
    std::optional<double> latency_stddev_ms;
    std::optional<std::uint64_t> transactions, transactions_failed;
    std::optional<std::uint32_t> clients, clients_aborted, threads;
    std::optional<double> duration_s;
    bool reconnect = false;
    bool valid = false; // false: its figures must not be compared
    std::vector<std::string> notes;
    std::vector<double> progress_tps; // one a progress interval, where printed
};

struct Clock {
    std::int64_t start_ns = 0, end_ns = 0;      // CLOCK_MONOTONIC
    std::string wall_start;                     // RFC 3339, UTC, of start_ns
    std::optional<double> ticks_per_ns;         // of the rings' stamps
    std::optional<double> calibration_error_ns; // worst residual at both ends
    std::uint64_t backward_stamps = 0;          // clamped
};

// A stretch of the run in which no source watched, because the server went away
// and came back: windows have no values there, totals leave it out, and the time
// that rates are over is without it (gaps.hpp).
struct Gap {
    std::int64_t begin_ns = 0, end_ns = 0; // CLOCK_MONOTONIC
    std::string kind;                      // crash, restart, upgrade
    std::string reason;                    // "the server restarted after a crash"
    std::uint32_t server_pid = 0;          // of the postmaster behind it
    std::string server_version;
};

// Runs that alternate store their place, so that diff can pair them.
struct Pairing {
    std::string series; // identifies one alternating experiment
    std::uint32_t round = 0;
    std::uint32_t position = 0; // order within the round
};

struct Run {
    std::string id; // random, 32 hex digits
    std::string tool_version;
    bool finished = false; // false: cut off; read up to its last whole window
    Clock clock;
    Host host;
    Server server;
    Layout layout;
    std::vector<SourceStatus> sources;
    std::vector<Total> totals;
    Windows windows;
    std::vector<Histogram> histograms;
    std::vector<Matrix> matrices;
    std::vector<Slot> slots;
    std::vector<Gap> gaps; // in order
    std::optional<Workload> workload;
    std::optional<Pairing> pairing;
    bool events = false; // events/ holds a CTF trace
    std::vector<std::string> warnings;
};

} // namespace snapscope
