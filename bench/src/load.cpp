#include "load.hpp"

#include "report.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/lab/pgbench.hpp>

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>

namespace snapscope::bench {

namespace {

using namespace std::chrono_literals;

Command pgbench(const Server& server, const std::vector<std::string>& arguments) {
    const char* prefix = std::getenv("SNAPSCOPE_PG_UNPATCHED_PREFIX");
    Command command;
    command.argv = {(std::filesystem::path(prefix == nullptr ? "" : prefix) / "bin/pgbench").string()};
    command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
    command.environment = server.environment();
    return command;
}

} // namespace

CacheCounts CacheCounts::operator-(const CacheCounts& before) const {
    return {taken - before.taken,     reused - before.reused,
            rebuilt - before.rebuilt, private_scans - before.private_scans,
            lines - before.lines,     xacts_with_xid - before.xacts_with_xid};
}

CacheCounts cache_counts(Server& server) {
    const auto row = server.session().row("SELECT sum(taken), sum(reused), sum(rebuilt), sum(private_scans), "
                                          "sum(lines_scanned), sum(xacts_with_xid) FROM pg_stat_snapshot_cache");
    std::vector<double> values;
    for (const auto& text : row)
        values.push_back(parse_double(text).value_or(0)); // null: not counted in this mode, and not used then
    if (values.size() != 6)
        give_up(server.name() + ": pg_stat_snapshot_cache has other columns");
    return {values[0], values[1], values[2], values[3], values[4], values[5]};
}

LoadResult run_load(Server& server, const Load& load) {
    std::vector<std::string> arguments = {
        "-n", "-M", "prepared", "-c", std::to_string(load.clients), "-j", std::to_string(load.threads)};
    if (load.transactions_each > 0)
        arguments.insert(arguments.end(), {"-t", std::to_string(load.transactions_each)});
    else
        arguments.insert(arguments.end(), {"-T", std::to_string(load.seconds)});
    arguments.insert(arguments.end(), load.arguments.begin(), load.arguments.end());

    const auto counts = server.patched() ? std::optional(cache_counts(server)) : std::nullopt;
    const auto before_us = server.children_cpu_us();
    const auto backends = server.children();
    const auto workload = run_pgbench(pgbench(server, arguments), std::chrono::seconds(load.seconds) + 120s);
    if (!workload || !workload->valid || !workload->transactions || !workload->tps)
        give_up(fmt::format("{}: pgbench: {}", server.name(),
                            workload ? fmt::format("the run is not valid; {}", fmt::join(workload->notes, "; "))
                                     : workload.error().message()));
    server.wait_for_children(backends);
    LoadResult result;
    result.tps = *workload->tps;
    result.cpu_us = (server.children_cpu_us() - before_us) / static_cast<double>(*workload->transactions);
    if (counts)
        result.counts = cache_counts(server) - *counts;
    return result;
}

void initialize_tables(Server& server, int scale) {
    const auto command = pgbench(server, {"-i", "-q", "-s", std::to_string(scale)});
    const auto finished = run_to_end(command, 300s);
    if (!finished || finished->status != 0)
        give_up(
            fmt::format("{}: pgbench -i: {}", server.name(), finished ? finished->output : finished.error().message()));
    server.session().execute("VACUUM ANALYZE");
    server.session().execute("CHECKPOINT");
}

std::string script_file(const Server& server, const std::string& name, const std::string& text) {
    const auto path = server.data_folder().parent_path() / name;
    std::ofstream(path) << text;
    return path.string();
}

} // namespace snapscope::bench
