// Counters that only rise, and what a statement must see of them.

#include "client.hpp"
#include "reads.hpp"

#include <fmt/format.h>

namespace snapscope::torture {
Seen minima_now(const World& world) {
    Seen seen{};
    for (int i = 0; i < counters; ++i)
        seen[std::size_t(i)] = world.minima.of(i);
    return seen;
}

Seen check_counters(Client& client, const Seen& least, const char* where) {
    const auto rows = client.query("SELECT id, value, twin FROM counter");
    ++client.world.counts.counters;
    if (rows.count() != counters)
        client.fault("counter", fmt::format("{} rows instead of {}, {}", rows.count(), counters, where));
    Seen seen{};
    for (int row = 0; row < rows.count(); ++row) {
        const auto id = std::size_t(rows.number(row, 0));
        seen[id] = rows.number(row, 1);
        if (seen[id] < least[id])
            client.fault("stale", fmt::format("counter {} is {} although {} was known before the statement, {}", id,
                                              seen[id], least[id], where));
        if (rows.number(row, 2) != seen[id])
            client.fault("counter", fmt::format("counter {} is {}, its twin {}", id, seen[id], rows.text(row, 2)));
    }
    return seen;
}

namespace {

// What a committed version says, everybody sees from now on.
void learn(World& world, const Seen& seen) {
    for (int i = 0; i < counters; ++i)
        world.minima.raise(i, seen[std::size_t(i)]);
}

std::int64_t raise(Client& client, int counter) {
    const auto least = client.world.minima.of(counter);
    const auto rows = client.touch(
        fmt::format("UPDATE counter SET value = value + 1, twin = twin + 1 WHERE id = {} RETURNING value", counter), 1);
    const auto value = rows.count() == 1 ? rows.number(0, 0) : 0;
    if (value <= least)
        client.fault("stale", fmt::format("counter {} rose to {} although {} was known", counter, value, least));
    return value;
}

} // namespace

void increment_briefly(Client& client) {
    const int counter = client.below(counters);
    const auto value = raise(client, counter);
    ++client.world.counts.committed;
    client.world.minima.raise(counter, value);
}

void increment(Client& client) {
    if (client.chance(40)) {
        increment_briefly(client);
    } else {
        const int counter = client.below(counters);
        client.query("BEGIN");
        if (client.chance(10))
            client.overflow();
        if (client.chance(25)) {
            client.query("SAVEPOINT undone");
            (void)raise(client, counter);
            client.query("ROLLBACK TO undone");
        }
        if (client.chance(25))
            client.query("SAVEPOINT kept");
        const auto value = raise(client, counter);
        if (client.end())
            client.world.minima.raise(counter, value);
    }
    if (client.chance(50))
        read_counters(client);
}

void read_counters_briefly(Client& client) {
    const auto least = minima_now(client.world);
    learn(client.world, check_counters(client, least, "one statement at read committed"));
    ++client.world.counts.committed;
}

void read_counters(Client& client) {
    if (client.chance(60)) {
        read_counters_briefly(client);
    } else {
        const auto least = minima_now(client.world);
        client.begin_snapshot();
        const auto seen = check_counters(client, least, "first in a snapshot");
        learn(client.world, seen);
        if (client.chance(20))
            client.pause(client.below(10));
        if (check_counters(client, least, "second in a snapshot") != seen)
            client.fault("repeatable read", "counters changed within a snapshot");
        client.query("COMMIT");
        ++client.world.counts.committed;
    }
}

} // namespace snapscope::torture
