#include "snapshot_ns.hpp"
#include "writers.hpp"

#include <fmt/format.h>

namespace snapscope::bench::writers {

namespace {

using namespace contender;

constexpr int counted_calls = 100'000;

double lines_a_snapshot(Server& server) {
    const auto before = cache_counts(server);
    (void)server.session().number(fmt::format("SELECT snapscope_snapshot_ns({})", counted_calls));
    const auto counted = cache_counts(server) - before;
    return counted.lines / counted.taken;
}

} // namespace

void slot_spread(Report& report, const Servers& servers) {
    auto options = settings();
    options.emplace_back("snapshot_slot_spread", "on");
    const Servers spread = [&] {
        Servers started;
        for (const auto* mode : {off, lockfree})
            started.push_back(Server::start(mode, options, std::string(mode) + ", spread"));
        return started;
    }();

    // With some hundred there is a line for each; with more the others fill the gaps.
    const std::vector<std::size_t> counts = {0, 200, 1000};
    const std::vector<std::size_t> few = {0, 50};
    for (const auto idle : report.pick(counts, counts, few)) {
        progress(fmt::format("slots apart, {} idle", idle));
        const Labels labels = {{"part", "slot spread"}, {"idle", std::to_string(idle)}};
        const auto pair = [&](const std::string& mode) {
            std::vector<Server*> both = {&find(servers, mode), &find(spread, mode + ", spread")};
            for (auto* server : both)
                server->hold_idle(idle);
            return both;
        };
        const auto with = [&](std::initializer_list<std::pair<std::string, std::string>> more) {
            auto all = labels;
            all.insert(all.end(), more);
            return all;
        };
        const int rounds = report.pick(41, 15, 6);

        const auto scans = pair(off);
        const Results ns(scans,
                         take_turns(scans, rounds, [](Server& server) { return snapshot_ns(server, Xmin::set); }));
        ns.add_rows(report, with({{"xmin", "set"}, {"sessions", "1"}}), "ns a snapshot");
        ns.add_ratio(report, fmt::format("ns set, {} idle", idle), std::string(off) + ", spread", off);
        const Results lines(scans, take_turns(scans, 3, lines_a_snapshot));
        lines.add_rows(report, labels, "lines a snapshot");

        const auto reads = pair(lockfree);
        const Results of_two(
            reads, take_turns(reads, rounds, [](Server& server) { return snapshot_ns_of_two(server, Xmin::publish); }));
        of_two.add_rows(report, with({{"xmin", "new"}, {"sessions", "2"}}), "ns a snapshot");
        of_two.add_ratio(report, fmt::format("ns new, {} idle, two sessions", idle), std::string(lockfree) + ", spread",
                         lockfree);
    }
    for (const auto& server : spread)
        server->stop();
}

} // namespace snapscope::bench::writers
