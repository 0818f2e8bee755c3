// What cached snapshots do where transactions write, and wipe the copy: commits
// beside sessions that take snapshots, TPC-B-like load, mixes by share of
// writers, many active clients, and slots apart.

#include "writers.hpp"

#include <fmt/format.h>
#include <thread>

namespace snapscope::bench {
namespace writers {

Settings settings() {
    return {{"max_connections", "1300"},  {"shared_buffers", "256MB"}, {"autovacuum", "off"},
            {"checkpoint_timeout", "1h"}, {"max_wal_size", "8GB"},     {"fsync", "off"}};
}

} // namespace writers

namespace {

using namespace contender;

void measure(Report& report) {
    raise_open_files_limit();
    progress("starting the servers");
    std::vector<std::string> absent;
    const auto servers =
        start_all({unpatched, again, off, copy, spin, lockfree, debian15}, writers::settings(), absent);
    for (const auto& name : absent)
        report.note(name + ": absent, it could not be provided on this machine");
    progress("filling the tables");
    for (const auto& server : servers)
        initialize_tables(*server, report.pick(20, 20, 2));

    if (report.effort() == Effort::full) {
        writers::beside_loops(report, servers, 0);
        writers::tpcb(report, servers, 0);
    }
    const std::size_t idle = report.pick(1000UL, 1000UL, 50UL);
    if (!has_memory_for(idle * servers.size()))
        give_up(fmt::format("too little memory for {} servers with {} idle connections each", servers.size(), idle));
    for (const auto& server : servers)
        server->hold_idle(idle);
    writers::beside_loops(report, servers, idle);
    writers::tpcb(report, servers, idle);
    writers::by_share(report, servers, idle);
    for (const auto& server : servers)
        server->hold_idle(0);
    writers::oversubscribed(report, servers);
    if (std::thread::hardware_concurrency() < 2)
        report.note("slots apart: absent, this machine has one CPU");
    else
        writers::slot_spread(report, servers);
    for (const auto& server : servers)
        if (server->panics() > 0)
            give_up(server->name() + ": PANIC in its log");
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "writers", snapscope::bench::measure);
}
