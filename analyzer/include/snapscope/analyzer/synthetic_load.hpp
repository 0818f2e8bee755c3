// A steady load that nobody recorded: the events of clients that run one
// transaction after the other, for questions about machines that are not there.
#pragma once

#include <snapscope/analyzer/simulate.hpp>

#include <memory>
#include <string_view>

namespace snapscope {

// A closed loop: each CPU of the topology runs its clients in turn, a
// transaction at a time.  A transaction: two snapshots, each followed by the
// clearing of the xmin that it set (select-only, as emulated: two stores a
// snapshot and one at the end), and `write_share` of them with an xid.
// Durations are exponential around their means, from SEED; they decide nothing
// but the order in which CPUs come.
struct SyntheticLoad {
    std::uint32_t clients = 192;
    std::uint32_t idle = 0; // connections that do nothing: their entries are scanned
    CacheMode mode = CacheMode::off;
    std::uint64_t snapshots = 200'000; // at least so many
    std::uint32_t snapshots_per_xact = 2;
    double write_share = 0;            // of the transactions
    double snapshot_ns = 2000;         // mean
    double xact_ns = 50'000;           // mean, the snapshots included
    std::uint32_t max_connections = 0; // 0: clients + idle, and 8 more
    std::uint64_t seed = 1;
};

// "clients=192,mode=off,...": the names of the fields.  Class usage.
[[nodiscard]] Result<SyntheticLoad> synthetic_load_from_text(std::string_view text);
// All fields, as above.
[[nodiscard]] std::string describe(const SyntheticLoad& load);

// What a run of it would state: layout as computed, slots as after a start.
[[nodiscard]] Run synthetic_run(const SyntheticLoad& load);
// Its events in the order of time; POLICY places clients on TOPOLOGY as
// simulate() will.
[[nodiscard]] EventPull synthetic_events(const SyntheticLoad& load, const Topology& topology, CpuPolicy policy);

} // namespace snapscope
