// pgbench against one server: transactions a second, server CPU a transaction,
// and what the cached snapshot counted meanwhile.
#pragma once

#include "server.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapscope::bench {

// Differences of pg_stat_snapshot_cache, summed over the slots.
struct CacheCounts {
    double taken = 0, reused = 0, rebuilt = 0, private_scans = 0, lines = 0, xacts_with_xid = 0;

    CacheCounts operator-(const CacheCounts& before) const;
};
[[nodiscard]] CacheCounts cache_counts(Server& server);

struct Load {
    int clients = 1;
    int seconds = 1;
    int transactions_each = 0;          // instead of seconds, where connecting takes a second itself
    std::vector<std::string> arguments; // which scripts
    int threads = 1;
};

struct LoadResult {
    double tps = 0;
    double cpu_us = 0;                 // of the server, a transaction; its backends' start and end are in it
    std::optional<CacheCounts> counts; // of patched servers
};

// One pgbench for all servers, that of the unpatched build: clients compete for
// the same CPUs, so they must be the same program.
[[nodiscard]] LoadResult run_load(Server& server, const Load& load);

// Fills the tables of pgbench's built-in scripts.
void initialize_tables(Server& server, int scale);

// A script of one's own, in the server's folder; its path.
[[nodiscard]] std::string script_file(const Server& server, const std::string& name, const std::string& text);

} // namespace snapscope::bench
