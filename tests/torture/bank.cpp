// Transfers between accounts, and their sum.

#include "client.hpp"
#include "reads.hpp"

#include <fmt/format.h>
#include <utility>

namespace snapscope::torture {
namespace {

void add(Client& client, int account, int amount) {
    client.touch(fmt::format("UPDATE account SET balance = balance + {} WHERE id = {}", amount, account), 1);
}

// The row goes and comes back elsewhere.
void move(Client& client, int account, int amount) {
    const auto gone = client.touch(fmt::format("DELETE FROM account WHERE id = {} RETURNING balance", account), 1);
    if (gone.count() == 1)
        client.query(
            fmt::format("INSERT INTO account VALUES ({}, {}, repeat('a', 120))", account, gone.number(0, 0) + amount));
}

} // namespace

void check_sum(Client& client, const char* where) {
    const auto rows = client.query("SELECT sum(balance)::int8, count(*) FROM account");
    ++client.world.counts.sums;
    const auto sum = rows.number(0, 0);
    const auto count = rows.number(0, 1);
    if (sum != std::int64_t(accounts) * first_balance || count != accounts)
        client.fault("sum", fmt::format("{} in {} accounts instead of {} in {}, {}", sum, count,
                                        accounts * first_balance, accounts, where));
}

void transfer(Client& client) {
    int from = client.below(accounts);
    int to = client.below(accounts);
    if (from == to)
        to = (to + 1) % accounts;
    if (from > to && client.chance(90)) // else some deadlocks
        std::swap(from, to);
    const int amount = client.below(50) - 25;

    client.begin_snapshot();
    if (client.chance(30))
        check_sum(client, "before a transfer");
    if (client.chance(8))
        client.overflow();
    if (client.chance(25)) {
        client.query("SAVEPOINT first");
        add(client, from, amount);
        client.query("ROLLBACK TO first");
    }
    if (client.chance(15))
        move(client, from, -amount);
    else
        add(client, from, -amount);
    if (client.chance(30))
        client.query("SAVEPOINT second");
    add(client, to, amount);
    if (client.chance(30))
        check_sum(client, "after a transfer of its own");
    client.end();
}

void read_sum_briefly(Client& client) {
    check_sum(client, "one statement at read committed");
    ++client.world.counts.committed;
}

void read_sum(Client& client) {
    if (client.chance(50)) {
        read_sum_briefly(client);
        return;
    }
    client.begin_snapshot();
    check_sum(client, "first time in a snapshot");
    if (client.chance(20))
        client.pause(client.below(10));
    check_sum(client, "second time in a snapshot");
    client.query("COMMIT");
    ++client.world.counts.committed;
}

// Holds its snapshot while many others come and go.
void read_long(Client& client) {
    ++client.world.counts.long_readers;
    client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    const int times = 5 + client.below(40);
    for (int i = 0; i < times && !client.world.stopping(); ++i) {
        check_sum(client, "in a long snapshot");
        client.pause(20);
    }
    client.query("COMMIT");
    ++client.world.counts.committed;
}

} // namespace snapscope::torture
