#include "client.hpp"

#include <chrono>
#include <fmt/format.h>
#include <span>
#include <thread>

namespace snapscope::torture {
namespace {

constexpr auto reconnect_pause_ms = 20;
constexpr std::int64_t reconnect_limit_ns = 60'000'000'000;

struct Script {
    void (*run)(Client&);
    int weight;
};
constexpr Script scripts[] = {
    {transfer, 20},      {read_sum, 20}, {increment, 20}, {read_counters, 15}, {append_and_read_lists, 30},
    {share_snapshot, 2},
};
constexpr Script brief_scripts[] = {
    {increment_briefly, 40},
    {read_counters_briefly, 40},
    {read_sum_briefly, 20},
};

const Script& choose(Client& client, std::span<const Script> from) {
    int total = 0;
    for (const auto& script : from)
        total += script.weight;
    int chosen = client.below(total);
    std::size_t at = 0;
    while (chosen >= from[at].weight)
        chosen -= from[at++].weight;
    return from[at];
}

} // namespace

Client::Client(World& shared, int number)
    : world(shared), number_(number), random_(shared.options.seed * 1000 + std::uint64_t(number)) {}

void Client::fault(const std::string& kind, const std::string& text) {
    world.faults.report(kind, fmt::format("client {}: {}", number_, text));
}

Rows Client::query(const std::string& sql) {
    return connection_->query(sql);
}

Rows Client::touch(const std::string& sql, std::int64_t rows) {
    auto result = query(sql);
    if (result.affected() != rows)
        fault("rows", fmt::format("{} rows instead of {} by {}", result.affected(), rows, sql));
    return result;
}

void Client::pause(int milliseconds) const {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

Isolation Client::begin_snapshot() {
    const bool serializable = chance(50);
    query(serializable ? "BEGIN ISOLATION LEVEL SERIALIZABLE" : "BEGIN ISOLATION LEVEL REPEATABLE READ");
    return serializable ? Isolation::serializable : Isolation::repeatable_read;
}

bool Client::end() {
    const bool commit = chance(90);
    if (chance(75)) {
        doubtful_ = commit;
        query(commit ? "COMMIT" : "ROLLBACK");
    } else {
        ++world.counts.prepared;
        const auto gid = fmt::format("{}.{}", number_, ++named_);
        prepared_ = gid;
        doubtful_ = true;
        query(fmt::format("PREPARE TRANSACTION '{}'", gid));
        if (chance(20))
            pause(below(5));
        query(fmt::format("{} PREPARED '{}'", commit ? "COMMIT" : "ROLLBACK", gid));
        prepared_.clear();
    }
    doubtful_ = false;
    ++(commit ? world.counts.committed : world.counts.undone);
    return commit;
}

void Client::overflow() {
    ++world.counts.overflowed;
    const int subtransactions = 65 + below(26);
    query(fmt::format("DO $$ BEGIN FOR i IN 1..{} LOOP BEGIN "
                      "UPDATE scratch SET number = number + 1 WHERE client = {}; "
                      "IF i % {} = 0 THEN RAISE division_by_zero; END IF; "
                      "EXCEPTION WHEN division_by_zero THEN NULL; END; END LOOP; END $$",
                      subtransactions, number_, 3 + below(80)));
}

void Client::connect() {
    const auto begin = now_ns();
    for (;;) {
        try {
            world.pid_of(number_) = 0;
            connection_.reset();
            connection_.emplace(world.conninfo(), chance(70) ? "-c enable_seqscan=off" : "");
            world.pid_of(number_) = connection_->pid();
            ++world.counts.connections;
            settle_prepared();
            return;
        } catch (const StatementFailed& failure) {
            if (!world.connections_may_be_lost() || now_ns() - begin > reconnect_limit_ns) {
                fault("connection", failure.message);
                return;
            }
            pause(reconnect_pause_ms);
        }
    }
}

// What was prepared when the connection was lost holds locks.
void Client::settle_prepared() {
    while (!prepared_.empty()) {
        try {
            query(fmt::format("{} PREPARED '{}'", chance(50) ? "COMMIT" : "ROLLBACK", prepared_));
            prepared_.clear();
        } catch (const StatementFailed& failure) {
            if (failure.sqlstate == "42704") // it was not prepared, or is over
                prepared_.clear();
            else if (failure.sqlstate == "55000") // the lost backend is still at it
                pause(reconnect_pause_ms);
            else
                throw;
        }
    }
}

void Client::handle(const StatementFailed& failure) {
    const bool panic = failure.message.find("PANIC") != std::string::npos;
    if (failure.lost && world.connections_may_be_lost() && !panic) {
        ++world.counts.lost_connections;
        if (doubtful_)
            ++world.counts.unknown;
        connect();
        return;
    }
    if (!failure.lost && failure.sqlstate == "40001")
        ++world.counts.serialization_failures;
    else if (!failure.lost && failure.sqlstate == "40P01")
        ++world.counts.deadlocks;
    else {
        fault(failure.lost ? "connection lost" : "error",
              fmt::format("{} {} by {}", failure.sqlstate, failure.message, failure.sql));
        return;
    }
    prepared_.clear(); // what fails so is not prepared
    try {
        query("ROLLBACK");
    } catch (const StatementFailed& again) {
        handle(again);
    }
}

void Client::act() {
    if (world.brief) {
        choose(*this, brief_scripts).run(*this);
    } else if (chance(2)) {
        connect(); // another backend, another slot
    } else if (chance(2)) {
        pause(below(30));
    } else if (world.long_readers && number_ % 4 == 0 && chance(5)) {
        read_long(*this);
    } else {
        choose(*this, scripts).run(*this);
    }
}

void Client::run() {
    connect();
    while (!world.stopping()) {
        if (!world.may_act(number_)) {
            pause(1);
            continue;
        }
        try {
            doubtful_ = false;
            act();
        } catch (const StatementFailed& failure) {
            handle(failure);
        }
    }
    world.pid_of(number_) = 0;
    connection_.reset();
}

} // namespace snapscope::torture
