// What a snapshot costs by mode and idle connections: ns a GetSnapshotData()
// call, its instructions, and server CPU a transaction under pgbench.  The
// baseline is the unpatched build.  All servers run side by side and take turns
// within a round; with the most connections, where memory does not hold that
// many for all, each stands beside the baseline alone.

#include "instructions.hpp"
#include "load.hpp"
#include "report.hpp"
#include "snapshot_ns.hpp"
#include "turns.hpp"

#include <fmt/format.h>
#include <thread>

namespace snapscope::bench {
namespace {

using namespace contender;

constexpr std::size_t most_idle = 4000; // in pairs
constexpr int clients = 2;
constexpr int clients_at_most = 8;

constexpr auto both = {Xmin::set, Xmin::publish};

Settings settings() {
    return {{"max_connections", std::to_string(most_idle + 100)}, {"autovacuum", "off"}};
}

struct Plan {
    std::vector<std::size_t> idle_counts;
    int ns_rounds;       // a case and server, some 10 ms each
    int cpu_rounds;      // a second of pgbench each
    int baseline_rounds; // the same, of the unpatched servers and `off` alone
};

Plan plan_of(const Report& report) {
    switch (report.effort()) {
    case Effort::full:
        return {{0, 100, 500, 1000, 2000}, 61, 8, 31};
    case Effort::quick:
        return {{0, 1000, 2000}, 31, 7, 7};
    case Effort::trial:
        break;
    }
    return {{0, 100}, 6, 6, 6};
}

// Where `off` must cost nothing, more rounds.
bool is_baseline_point(std::size_t idle) {
    return idle == 0 || idle == 1000 || idle == 2000;
}

class Suite {
  public:
    Suite(Report& report, Servers servers)
        : report_(report), plan_(plan_of(report)), servers_(std::move(servers)),
          all_(those_of(servers_, {unpatched, off, again, copy, spin, lockfree, debian15})),
          baseline_(those_of(servers_, {unpatched, off, again})) {}

    void run() {
        for (const auto idle : plan_.idle_counts) {
            if (!has_memory_for((idle - held_) * all_.size())) {
                report_.note(
                    fmt::format("{} idle connections: absent, too little memory for {} servers", idle, all_.size()));
                continue;
            }
            progress(fmt::format("{} idle connections", idle));
            for (auto* server : all_)
                server->hold_idle(idle);
            held_ = idle;
            nanoseconds(idle);
            cpu(idle);
        }
        for (auto* server : all_)
            server->hold_idle(0);
        in_pairs();
        flatness();
        for (auto* server : all_)
            server->stop();
        instructions();
    }

  private:
    void nanoseconds(std::size_t idle) {
        for (const auto xmin : both) {
            const auto what = fmt::format("ns {}, {} idle", name_of(xmin), idle);
            const auto measure = [&](Server& server) { return snapshot_ns(server, xmin); };
            const Results ns(all_, take_turns(all_, plan_.ns_rounds, measure));
            add_ns_rows(ns, idle, xmin, "1");
            for (const auto* mode : {copy, spin, lockfree, debian15})
                ns.add_ratio(report_, what, mode, unpatched);
            ns.add_ratio(report_, what, lockfree, copy);
            ns.add_ratio(report_, what, lockfree, debian15);

            const Results base(baseline_, take_turns(baseline_, plan_.ns_rounds, measure));
            base.add_ratio(report_, what, off, unpatched);
            base.add_ratio(report_, what, again, unpatched);
            if (idle == 0 && xmin == Xmin::set)
                report_.set_noise_floor(base[again], base[unpatched]);
            two_sessions(idle, xmin);
        }
    }

    void two_sessions(std::size_t idle, Xmin xmin) {
        if (idle != 0 && idle != 1000 && report_.effort() != Effort::trial)
            return;
        if (std::thread::hardware_concurrency() < 2) {
            if (idle == 0 && xmin == Xmin::set)
                report_.note("two sessions at once: absent, this machine has one CPU");
            return;
        }
        const auto what = fmt::format("ns {}, {} idle, two sessions", name_of(xmin), idle);
        const Results ns(
            all_, take_turns(all_, plan_.ns_rounds, [&](Server& server) { return snapshot_ns_of_two(server, xmin); }));
        add_ns_rows(ns, idle, xmin, "2");
        for (const auto* mode : {copy, spin, lockfree, debian15, off, again})
            ns.add_ratio(report_, what, mode, unpatched);
        ns.add_ratio(report_, what, lockfree, copy);
        ns.add_ratio(report_, what, lockfree, debian15);
    }

    void add_ns_rows(const Results& ns, std::size_t idle, Xmin xmin, const std::string& sessions) {
        ns.add_rows(report_, {{"idle", std::to_string(idle)}, {"xmin", name_of(xmin)}, {"sessions", sessions}},
                    "ns a snapshot");
    }

    std::pair<Results, Results> pgbench_turns(const std::vector<Server*>& servers, int rounds, int how_many) {
        const auto results = take_turns(servers, rounds, [&](Server& server) {
            return run_load(server, {.clients = how_many,
                                     .seconds = 1,
                                     .arguments = {"-f", script_file(server, "select1.sql", "SELECT 1;\n")}});
        });
        std::vector<Rounds> cpu_us(servers.size());
        std::vector<Rounds> tps(servers.size());
        for (std::size_t i = 0; i < servers.size(); ++i)
            for (const auto& result : results[i]) {
                cpu_us[i].push_back(result.cpu_us);
                tps[i].push_back(result.tps);
            }
        return {Results(servers, std::move(cpu_us)), Results(servers, std::move(tps))};
    }

    void cpu(std::size_t idle) {
        const Labels labels = {{"idle", std::to_string(idle)}, {"clients", std::to_string(clients)}};
        const auto what = fmt::format("CPU, {} idle, {} clients", idle, clients);
        const auto [cpu_us, tps] = pgbench_turns(all_, plan_.cpu_rounds, clients);
        cpu_us.add_rows(report_, labels, "us CPU a transaction");
        tps.add_rows(report_, labels, "transactions a second");
        for (const auto* mode : {copy, spin, lockfree, debian15}) {
            cpu_us.add_ratio(report_, what, mode, unpatched);
            tps.add_ratio(report_, fmt::format("tps, {} idle, {} clients", idle, clients), mode, unpatched);
        }
        if (is_baseline_point(idle)) {
            const auto base = pgbench_turns(baseline_, plan_.baseline_rounds, clients).first;
            base.add_ratio(report_, what, off, unpatched);
            base.add_ratio(report_, what, again, unpatched);
        } else {
            cpu_us.add_ratio(report_, what, off, unpatched);
            cpu_us.add_ratio(report_, what, again, unpatched);
        }
    }

    // The baseline holds its connections throughout; the others open and close theirs one after the other.
    void in_pairs() {
        if (report_.effort() == Effort::quick)
            return;
        const auto idle = report_.pick(most_idle, most_idle, std::size_t{200});
        if (!has_memory_for(2 * idle)) {
            report_.note(fmt::format("{} idle connections: absent, too little memory for two servers", idle));
            return;
        }
        auto& reference = find(servers_, unpatched);
        reference.hold_idle(idle);
        const Labels with_clients = {{"idle", std::to_string(idle)}, {"clients", std::to_string(clients_at_most)}};
        Rounds reference_ns[2];
        Rounds reference_cpu;
        Rounds reference_tps;
        for (auto* server : all_) {
            if (server == &reference)
                continue;
            progress(fmt::format("{} idle connections: {} beside {}", idle, server->name(), unpatched));
            server->hold_idle(idle);
            const std::vector<Server*> pair = {&reference, server};
            for (const auto xmin : both) {
                const Results ns(
                    pair, take_turns(pair, plan_.ns_rounds, [&](Server& one) { return snapshot_ns(one, xmin); }));
                ns.add_ratio(report_, fmt::format("ns {}, {} idle", name_of(xmin), idle), server->name(), unpatched);
                append(reference_ns[xmin == Xmin::set ? 0 : 1], ns[unpatched]);
                add_own_ns(idle, xmin, server->name(), ns[server->name()]);
            }
            const auto [cpu_us, tps] = pgbench_turns(pair, plan_.cpu_rounds, clients_at_most);
            add_own(with_clients, "us CPU a transaction", server->name(), cpu_us[server->name()]);
            add_own(with_clients, "transactions a second", server->name(), tps[server->name()]);
            const auto suffix = fmt::format("{} idle, {} clients", idle, clients_at_most);
            cpu_us.add_ratio(report_, "CPU, " + suffix, server->name(), unpatched);
            tps.add_ratio(report_, "tps, " + suffix, server->name(), unpatched);
            append(reference_cpu, cpu_us[unpatched]);
            append(reference_tps, tps[unpatched]);
            server->hold_idle(0);
        }
        reference.hold_idle(0);
        lockfree_beside_others(idle);
        add_own_ns(idle, Xmin::set, unpatched, reference_ns[0]);
        add_own_ns(idle, Xmin::publish, unpatched, reference_ns[1]);
        add_own(with_clients, "us CPU a transaction", unpatched, reference_cpu);
        add_own(with_clients, "transactions a second", unpatched, reference_tps);
        report_.note(fmt::format("{} idle connections: each server beside {} alone, which kept its own throughout; its "
                                 "rows hold the rounds of all pairs",
                                 idle, unpatched));
    }

    // The pairs above have all but the baseline at different times.
    void lockfree_beside_others(std::size_t idle) {
        auto& one = find(servers_, lockfree);
        one.hold_idle(idle);
        for (auto* other : those_of(servers_, {copy, debian15})) {
            progress(fmt::format("{} idle connections: {} beside {}", idle, lockfree, other->name()));
            other->hold_idle(idle);
            const std::vector<Server*> pair = {&one, other};
            for (const auto xmin : both) {
                const Results ns(
                    pair, take_turns(pair, plan_.ns_rounds, [&](Server& server) { return snapshot_ns(server, xmin); }));
                ns.add_ratio(report_, fmt::format("ns {}, {} idle", name_of(xmin), idle), lockfree, other->name());
            }
            other->hold_idle(0);
        }
        one.hold_idle(0);
    }

    static void append(Rounds& all, const Rounds& more) { all.insert(all.end(), more.begin(), more.end()); }

    void add_own(Labels labels, const std::string& unit, const std::string& name, const Rounds& rounds) {
        labels.emplace_back("server", name);
        report_.add_row(std::move(labels), unit, rounds);
    }

    void add_own_ns(std::size_t idle, Xmin xmin, const std::string& name, const Rounds& rounds) {
        add_own({{"idle", std::to_string(idle)}, {"xmin", name_of(xmin)}, {"sessions", "1"}}, "ns a snapshot", name,
                rounds);
    }

    // One binary with many idle connections beside itself without any, in turns:
    // what else the machine does meets both.
    void flatness() {
        auto& full = find(servers_, lockfree);
        const auto idle = report_.pick(most_idle, std::size_t{2000}, std::size_t{200});
        progress(fmt::format("{} idle connections against none: {}", idle, lockfree));
        const auto none = Server::start(lockfree, settings(), "lockfree without idle");
        full.hold_idle(idle);
        const std::vector<Server*> pair = {&full, none.get()};
        for (const auto xmin : both) {
            const Results ns(pair,
                             take_turns(pair, plan_.ns_rounds, [&](Server& one) { return snapshot_ns(one, xmin); }));
            ns.add_ratio(report_, fmt::format("flat, ns {}, {} idle", name_of(xmin), idle), lockfree, none->name());
            for (const auto& [name, count] : {std::pair{full.name(), idle}, {none->name(), std::size_t{0}}})
                report_.add_row({{"part", "in turns"}, {"idle", std::to_string(count)}, {"xmin", name_of(xmin)}},
                                "ns a snapshot", ns[name]);
        }
        full.hold_idle(0);
        none->stop();
    }

    void instructions() {
        for (const std::size_t idle : {0UL, 1000UL})
            for (const auto* name : {unpatched, off, copy, lockfree}) {
                progress(fmt::format("instructions, {} idle, {}", idle, name));
                const auto counted = count_instructions(find(servers_, name), idle);
                for (const auto xmin : both)
                    add_own({{"idle", std::to_string(idle)}, {"xmin", name_of(xmin)}}, "instructions a snapshot", name,
                            {xmin == Xmin::set ? counted.set : counted.publish});
            }
    }

    Report& report_;
    Plan plan_;
    Servers servers_;
    std::vector<Server*> all_, baseline_;
    std::size_t held_ = 0;
};

void measure(Report& report) {
    raise_open_files_limit();
    std::vector<std::string> absent;
    progress("starting the servers");
    auto servers = start_all({unpatched, off, again, copy, spin, lockfree, debian15}, settings(), absent);
    for (const auto& name : absent)
        report.note(name + ": absent, it could not be provided on this machine");
    Suite(report, std::move(servers)).run();
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "snapshot", snapscope::bench::measure);
}
