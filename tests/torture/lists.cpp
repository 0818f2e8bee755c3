// Transactions that read lists and append to them; the checker sees them later.

#include "client.hpp"

#include <cstdlib>
#include <fmt/format.h>

namespace snapscope::torture {

std::vector<Value> values_in(const std::string& array) {
    std::vector<Value> values;
    const char* at = array.c_str();
    while (*at != '\0' && *at != '}') {
        char* end = nullptr;
        ++at; // '{' or ','
        const auto value = std::strtol(at, &end, 10);
        if (end == at)
            break;
        values.push_back(static_cast<Value>(value));
        at = end;
    }
    return values;
}

namespace {

Key some_list(Client& client) {
    return client.world.first_open_list() + client.below(open_lists);
}

void read(Client& client, Transaction& transaction, Key key) {
    const auto rows = client.query(fmt::format("SELECT items FROM list WHERE key = {}", key));
    ++client.world.counts.lists;
    if (rows.count() != 1) {
        client.fault("rows", fmt::format("{} rows of list {}", rows.count(), key));
        return;
    }
    transaction.operations.push_back({Operation::Kind::read, key, 0, values_in(rows.text(0, 0)), Operation::never});
}

// All that are open, in one statement.
void read_all(Client& client, Transaction& transaction) {
    const Key first = client.world.first_open_list();
    const auto rows = client.query(
        fmt::format("SELECT key, items FROM list WHERE key BETWEEN {} AND {}", first, first + open_lists - 1));
    ++client.world.counts.lists;
    if (rows.count() != open_lists)
        client.fault("rows", fmt::format("{} rows of {} lists from {}", rows.count(), open_lists, first));
    for (int row = 0; row < rows.count(); ++row)
        transaction.operations.push_back({Operation::Kind::read, static_cast<Key>(rows.number(row, 0)), 0,
                                          values_in(rows.text(row, 1)), Operation::never});
}

void append(Client& client, Transaction& transaction, Key key) {
    const Value value = client.world.new_value();
    // Noted before it is sent: if the reply is lost, the value still has a writer.
    transaction.operations.push_back({Operation::Kind::append, key, value, {}, Operation::never});
    client.touch(fmt::format("UPDATE list SET items = items || {} WHERE key = {}", value, key), 1);
}

void append_and_undo(Client& client, Transaction& transaction) {
    const auto before = transaction.operations.size();
    client.query("SAVEPOINT undone");
    const Key key = some_list(client);
    append(client, transaction, key);
    if (client.chance(50))
        read(client, transaction, key);
    client.query("ROLLBACK TO undone");
    const auto after = transaction.operations.size();
    for (auto i = before; i < after; ++i)
        if (transaction.operations[i].kind == Operation::Kind::append)
            transaction.operations[i].rolled_back_at = after;
}

void operate(Client& client, Transaction& transaction) {
    const bool reads_only = client.chance(25);
    if (client.chance(4))
        client.overflow();
    for (int operation = client.below(5); operation >= 0; --operation) {
        const int which = client.below(100);
        if (which < 15)
            read_all(client, transaction);
        else if (reads_only || which < 50)
            read(client, transaction, some_list(client));
        else if (which < 60)
            append_and_undo(client, transaction);
        else {
            if (client.chance(20))
                client.query("SAVEPOINT kept");
            append(client, transaction, some_list(client));
        }
        if (client.chance(3))
            client.pause(client.below(5));
    }
}

} // namespace

void append_and_read_lists(Client& client) {
    Transaction transaction;
    transaction.name = client.new_name();
    transaction.isolation = client.begin_snapshot();
    transaction.start = now_ns();
    try {
        operate(client, transaction);
        const bool committed = client.end();
        transaction.reply = now_ns();
        transaction.outcome = committed ? Outcome::committed : Outcome::aborted;
    } catch (const StatementFailed& failure) {
        transaction.outcome = failure.lost && client.doubtful() ? Outcome::unknown : Outcome::aborted;
        client.record(std::move(transaction));
        throw;
    }
    client.record(std::move(transaction));
}

} // namespace snapscope::torture
