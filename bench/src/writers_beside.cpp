#include "snapshot_ns.hpp"
#include "writers.hpp"

#include <atomic>
#include <fmt/format.h>
#include <thread>

namespace snapscope::bench::writers {

namespace {

using namespace contender;

constexpr double query_us = 2000;
constexpr int rows = 1000;

// Two sessions that take snapshots, each publishing its xmin anew, until the
// owner goes out of scope.
class Loops {
  public:
    Loops(const Server& server, int calls) {
        for (int i = 0; i < 2; ++i)
            threads_.emplace_back([this, conninfo = server.conninfo(), calls] {
                Session session(conninfo);
                const auto query = fmt::format("SELECT snapscope_snapshot_ns({}, true)", calls);
                ++running_;
                while (!stop_) {
                    const double ns = session.number(query);
                    ns_ += ns;
                    ++queries_;
                }
            });
        while (running_ < 2)
            std::this_thread::yield();
    }
    Loops(const Loops&) = delete;
    Loops& operator=(const Loops&) = delete;
    ~Loops() { stop(); }

    // The mean of all calls, ns.
    double stop() {
        stop_ = true;
        for (auto& thread : threads_)
            if (thread.joinable())
                thread.join();
        return queries_ == 0 ? 0 : ns_ / queries_;
    }

  private:
    std::vector<std::thread> threads_;
    std::atomic<bool> stop_ = false;
    std::atomic<int> running_ = 0;
    std::atomic<double> ns_ = 0;
    std::atomic<int> queries_ = 0;
};

struct Beside {
    double commits = 0, ns = 0;
};

Beside run(Server& server, const std::string& script) {
    const auto children = server.children();
    Beside result;
    {
        Loops loops(server, calls_within(server, Xmin::publish, query_us));
        result.commits = run_load(server, {.clients = 1, .seconds = 1, .arguments = {"-f", script}}).tps;
        result.ns = loops.stop();
    }
    server.wait_for_children(children);
    return result;
}

} // namespace

void beside_loops(Report& report, const Servers& servers, std::size_t idle) {
    const std::vector<std::pair<std::string, std::string>> kinds = {
        {"update", fmt::format("\\set id random(1, {})\nUPDATE bench_writer SET n = n + 1 WHERE id = :id;\n", rows)},
        {"txid_current", "SELECT txid_current();\n"}};
    const auto all = those_of(servers, {unpatched, off, again, copy, spin, lockfree, debian15});
    for (auto* server : all) {
        server->session().execute("DROP TABLE IF EXISTS bench_writer");
        server->session().execute(fmt::format("CREATE TABLE bench_writer AS "
                                              "SELECT id, 0 AS n FROM generate_series(1, {}) AS id",
                                              rows));
        server->session().execute("ALTER TABLE bench_writer ADD PRIMARY KEY (id)");
    }
    for (const auto& [kind, script] : kinds) {
        if (kind != "update" && report.effort() != Effort::full)
            continue;
        progress(fmt::format("a writer ({}) beside two sessions, {} idle", kind, idle));
        const auto results = take_turns(all, report.pick(16, 6, 6), [&, &script = script](Server& server) {
            return run(server, script_file(server, "writer.sql", script));
        });
        std::vector<Rounds> commits(all.size());
        std::vector<Rounds> ns(all.size());
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const auto& result : results[i]) {
                commits[i].push_back(result.commits);
                ns[i].push_back(result.ns);
            }
        const Labels labels = {{"part", "beside"}, {"writer", kind}, {"idle", std::to_string(idle)}};
        const Results of_commits(all, std::move(commits));
        of_commits.add_rows(report, labels, "commits a second");
        const Results of_ns(all, std::move(ns));
        of_ns.add_rows(report, labels, "ns a snapshot");
        const auto what = fmt::format("commits a second beside two sessions, {}, {} idle", kind, idle);
        for (const auto* mode : {off, again, copy, spin, lockfree, debian15})
            of_commits.add_ratio(report, what, mode, unpatched);
        of_commits.add_ratio(report, what, lockfree, copy);
        of_commits.add_ratio(report, what, lockfree, debian15);
        const auto ns_what = fmt::format("ns beside a writer, {}, {} idle", kind, idle);
        for (const auto* mode : {off, again, copy, spin, lockfree, debian15})
            of_ns.add_ratio(report, ns_what, mode, unpatched);
        of_ns.add_ratio(report, ns_what, lockfree, copy);
        of_ns.add_ratio(report, ns_what, lockfree, debian15);
    }
}

} // namespace snapscope::bench::writers
