// The parts of the suite `writers`.
#pragma once

#include "load.hpp"
#include "report.hpp"
#include "turns.hpp"

namespace snapscope::bench::writers {

// What all servers of the suite are started with.
[[nodiscard]] Settings settings();

// A single writer beside two sessions that take one snapshot after the other:
// commits a second, and ns a snapshot meanwhile.
void beside_loops(Report& report, const Servers& servers, std::size_t idle);

// pgbench's TPC-B-like script, 8 clients: tps and server CPU a transaction.
void tpcb(Report& report, const Servers& servers, std::size_t idle);

// By share of writing transactions: tps, CPU, how snapshots were come by.
void by_share(Report& report, const Servers& servers, std::size_t idle);

// Many more active clients than CPUs, also with every cached snapshot compared
// with a fresh scan: how snapshots were come by, and that nobody panicked.
void oversubscribed(Report& report, const Servers& servers);

// What snapshot_slot_spread costs the plain scan and gains the lock-free read.
void slot_spread(Report& report, const Servers& servers);

// A column of results of pgbench.
template <typename Member>
[[nodiscard]] std::vector<Rounds> column(const std::vector<std::vector<LoadResult>>& results, const Member& member) {
    std::vector<Rounds> all;
    for (const auto& of_server : results) {
        auto& rounds = all.emplace_back();
        for (const auto& result : of_server)
            rounds.push_back(member(result));
    }
    return all;
}

// Shares of `taken` by outcome, and rebuilds a committed writer; what a server
// does not count, or had none of, is absent with the reason.
void add_shares(Report& report, const Labels& labels, const Server& server, const std::vector<LoadResult>& results);

} // namespace snapscope::bench::writers
