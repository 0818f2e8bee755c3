#include "writers.hpp"

#include <fmt/format.h>
#include <functional>
#include <optional>

namespace snapscope::bench::writers {

namespace {

using namespace contender;

std::vector<std::string> scripts(int percent_writing) {
    std::vector<std::string> arguments;
    if (percent_writing < 100)
        arguments.insert(arguments.end(), {"-b", fmt::format("select-only@{}", 100 - percent_writing)});
    if (percent_writing > 0)
        arguments.insert(arguments.end(), {"-b", fmt::format("simple-update@{}", percent_writing)});
    return arguments;
}

double cpu_us_of(const LoadResult& result) {
    return result.cpu_us;
}

double tps_of(const LoadResult& result) {
    return result.tps;
}

// All values, or none where one is missing.
void add_or_absent(Report& report, Labels labels, const std::string& unit, const std::vector<LoadResult>& results,
                   const std::function<std::optional<double>(const CacheCounts&)>& value, const std::string& why) {
    Rounds rounds;
    for (const auto& result : results) {
        const auto one = value(*result.counts);
        if (!one) {
            report.add_absent(std::move(labels), unit, why);
            return;
        }
        rounds.push_back(*one);
    }
    report.add_row(std::move(labels), unit, rounds);
}

std::optional<double> over(double part, double whole) {
    return whole > 0 ? std::optional(part / whole) : std::nullopt;
}

// One load on several servers: rows of CPU, tps and shares under LABELS, and
// each mode's ratios to unpatched, named after WHAT.  Returns the tps.
Results add_load(Report& report, const Labels& labels, const std::string& what, const std::vector<Server*>& servers,
                 const std::vector<std::vector<LoadResult>>& results, const std::vector<const char*>& modes) {
    const Results cpu_us(servers, column(results, cpu_us_of));
    cpu_us.add_rows(report, labels, "us CPU a transaction");
    Results tps(servers, column(results, tps_of));
    tps.add_rows(report, labels, "transactions a second");
    for (std::size_t i = 0; i < servers.size(); ++i)
        add_shares(report, labels, *servers[i], results[i]);
    for (const auto* mode : modes) {
        tps.add_ratio(report, "tps, " + what, mode, unpatched);
        cpu_us.add_ratio(report, "CPU, " + what, mode, unpatched);
    }
    return tps;
}

} // namespace

void add_shares(Report& report, const Labels& labels, const Server& server, const std::vector<LoadResult>& results) {
    auto own = labels;
    own.emplace_back("server", server.name());
    const char* none = "no snapshot was taken";
    if (!server.patched()) {
        for (const auto* unit : {"share reused", "share rebuilt", "share private", "rebuilds a writing commit"})
            report.add_absent(own, unit, "this server does not count");
        return;
    }
    add_or_absent(
        report, own, "share reused", results, [](const auto& n) { return over(n.reused, n.taken); }, none);
    add_or_absent(
        report, own, "share rebuilt", results, [](const auto& n) { return over(n.rebuilt, n.taken); }, none);
    add_or_absent(
        report, own, "share private", results, [](const auto& n) { return over(n.private_scans, n.taken); }, none);
    add_or_absent(
        report, own, "rebuilds a writing commit", results,
        [](const auto& n) { return over(n.rebuilt, n.xacts_with_xid); }, "nothing was written");
}

void tpcb(Report& report, const Servers& servers, std::size_t idle) {
    progress(fmt::format("TPC-B-like, {} idle", idle));
    const auto all = those_of(servers, {unpatched, again, off, copy, spin, lockfree, debian15});
    const auto results = take_turns(all, report.pick(8, 6, 6), [&](Server& server) {
        return run_load(server, {.clients = 8, .seconds = report.pick(2, 1, 1), .arguments = {"-b", "tpcb-like"}});
    });
    const Labels labels = {{"part", "tpcb-like"}, {"idle", std::to_string(idle)}, {"clients", "8"}};
    const auto tps = add_load(report, labels, fmt::format("TPC-B-like, {} idle", idle), all, results,
                              {again, off, copy, spin, lockfree, debian15});
    report.set_noise_floor(tps[again], tps[unpatched]);
}

void by_share(Report& report, const Servers& servers, std::size_t idle) {
    const auto all = those_of(servers, {unpatched, again, off, copy, spin, lockfree});
    const std::vector<int> some = {0, 5, 50};
    const std::vector<int> every = {0, 1, 5, 20, 50, 100};
    for (const int percent : report.pick(every, some, some)) {
        progress(fmt::format("{} % writing, {} idle", percent, idle));
        const auto results = take_turns(all, report.pick(7, 6, 6), [&](Server& server) {
            return run_load(server, {.clients = 8, .seconds = 1, .arguments = scripts(percent)});
        });
        const Labels labels = {{"part", "by share"},
                               {"percent writing", std::to_string(percent)},
                               {"idle", std::to_string(idle)},
                               {"clients", "8"}};
        add_load(report, labels, fmt::format("{} % writing, {} idle", percent, idle), all, results,
                 {again, off, copy, spin, lockfree});
    }
}

void oversubscribed(Report& report, const Servers& servers) {
    constexpr int clients = 192;
    const Load load = {
        .clients = clients, .transactions_each = report.pick(150, 100, 30), .arguments = scripts(20), .threads = 2};
    const auto run = [&](Server& server, const std::string& verify) {
        progress(fmt::format("{} active clients, {}, verify {}", clients, server.name(), verify));
        const std::vector<LoadResult> results = {run_load(server, load)};
        if (server.panics() > 0)
            give_up(server.name() + ": PANIC in its log");
        const Labels labels = {{"part", "oversubscribed"}, {"clients", std::to_string(clients)}, {"verify", verify}};
        auto own = labels;
        own.emplace_back("server", server.name());
        report.add_row(own, "transactions a second", {results[0].tps});
        add_shares(report, labels, server, results);
    };
    for (auto* server : those_of(servers, {unpatched, off, copy, spin, lockfree}))
        run(*server, "off");
    for (const auto* mode : {copy, spin, lockfree}) {
        auto options = settings();
        options.emplace_back("snapshot_cache_verify", "on");
        auto server = Server::start(mode, options);
        initialize_tables(*server, 2);
        run(*server, "on");
        server->stop();
    }
    report.note(fmt::format("{} active clients, 20 % writing: no PANIC in any log, nor with snapshot_cache_verify = on",
                            clients));
}

} // namespace snapscope::bench::writers
