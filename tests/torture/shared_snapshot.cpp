// A snapshot that one session exports and another imports.

#include "client.hpp"
#include "reads.hpp"

#include <fmt/format.h>

namespace snapscope::torture {

// The import fills by hand what the next statement's snapshot is taken into:
// that must be of now, though nothing may have ended since the last one.
void share_snapshot(Client& client) {
    ++client.world.counts.shared_snapshots;
    const auto least = minima_now(client.world);
    Connection exporter(client.world.conninfo());
    exporter.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    const auto name = exporter.query("SELECT pg_export_snapshot()").text(0, 0);

    increment_briefly(client);
    read_counters_briefly(client);
    client.query("BEGIN ISOLATION LEVEL REPEATABLE READ");
    client.query(fmt::format("SET TRANSACTION SNAPSHOT '{}'", name));
    const auto imported = check_counters(client, least, "in an imported snapshot");
    check_sum(client, "in an imported snapshot");
    client.query("COMMIT");
    read_counters_briefly(client);

    const auto rows = exporter.query("SELECT id, value FROM counter");
    for (int row = 0; row < rows.count(); ++row)
        if (imported[std::size_t(rows.number(row, 0))] != rows.number(row, 1))
            client.fault("repeatable read", "an imported snapshot saw another value than the one exported");
    exporter.query("COMMIT");
    ++client.world.counts.committed;
}

} // namespace snapscope::torture
