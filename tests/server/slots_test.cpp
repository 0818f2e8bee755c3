// Which proc entries backends get, and where the arrays lie.

#include "session.hpp"

#include <fmt/format.h>
#include <set>

namespace snapscope::test {
namespace {

class SlotsTest : public ServerTest {
  protected:
    static constexpr std::int64_t line_bytes = 64;

    std::int64_t layout(const std::string& column, const std::string& array) {
        return Session(cluster()).number(
            fmt::format("SELECT {} FROM pg_snapshot_layout() WHERE name = '{}'", column, array));
    }
    // Lines of PGXACT that the sessions' entries lie on; each line once for each entry.
    std::multiset<std::int64_t> lines_of(const std::vector<std::unique_ptr<Session>>& sessions) {
        const auto base = layout("address", "PGXACT");
        const auto stride = layout("stride_bytes", "PGXACT");
        std::multiset<std::int64_t> lines;
        for (const auto& session : sessions) {
            const auto first = base + stride * session->number("SELECT slot FROM pg_stat_snapshot_cache WHERE pid = "
                                                               "pg_backend_pid()");
            for (auto line = first / line_bytes; line <= (first + stride - 1) / line_bytes; ++line)
                lines.insert(line);
        }
        return lines;
    }
    void connect(std::vector<std::unique_ptr<Session>>& sessions, std::size_t count) {
        while (sessions.size() < count)
            sessions.push_back(std::make_unique<Session>(cluster()));
    }
};

bool no_line_twice(const std::multiset<std::int64_t>& lines) {
    return std::set<std::int64_t>(lines.begin(), lines.end()).size() == lines.size();
}

TEST_P(SlotsTest, lie_apart_while_there_are_such) {
    start({{"max_connections", "200"}, {"snapshot_slot_spread", "on"}});
    std::vector<std::unique_ptr<Session>> sessions;
    connect(sessions, 30); // 200 entries of 12 bytes: 37 lines
    EXPECT_TRUE(no_line_twice(lines_of(sessions)));

    // Churn: the slots that come back are handed out again.
    sessions.erase(sessions.begin(), sessions.begin() + 20);
    connect(sessions, 30);
    EXPECT_TRUE(no_line_twice(lines_of(sessions)));
}

TEST_P(SlotsTest, are_all_handed_out_and_no_more) {
    start({{"max_connections", "40"}, {"superuser_reserved_connections", "3"}, {"snapshot_slot_spread", "on"}});
    Session(cluster()).run("CREATE ROLE plain LOGIN");
    const auto plain = cluster().conninfo() + " user=plain";
    std::vector<std::unique_ptr<PGconn, decltype(&PQfinish)>> connections;
    for (int i = 0; i < 37; ++i) {
        connections.emplace_back(PQconnectdb(plain.c_str()), &PQfinish);
        ASSERT_EQ(PQstatus(connections.back().get()), CONNECTION_OK) << i;
    }
    connections.emplace_back(PQconnectdb(plain.c_str()), &PQfinish);
    EXPECT_EQ(PQstatus(connections.back().get()), CONNECTION_BAD);
    EXPECT_EQ(Session(cluster()).number("SELECT 1"), 1) << "three are kept for superusers";
}

TEST_P(SlotsTest, share_lines_in_the_stock_order) {
    start({{"max_connections", "200"}});
    std::vector<std::unique_ptr<Session>> sessions;
    connect(sessions, 30);
    EXPECT_FALSE(no_line_twice(lines_of(sessions)));
}

// What a scan is said to read, after backends came and went in any order.
class ScannedSlotsTest : public SlotsTest {};

TEST_P(ScannedSlotsTest, are_counted_by_line_in_whatever_order_they_came) {
    start({{"max_connections", "200"}});
    std::vector<std::unique_ptr<Session>> sessions;
    for (int round = 0; round < 3; ++round) {
        connect(sessions, 60);
        for (std::size_t i = 0; i < sessions.size(); ++i)
            if (i % 7 == static_cast<std::size_t>(round) || i > 40)
                sessions[i].reset();
        std::erase(sessions, nullptr);
    }
    Session reader(cluster());
    const auto entries =
        "SELECT count(DISTINCT line) FROM pg_stat_snapshot_cache c JOIN pg_stat_activity a USING (pid), "
        "pg_snapshot_layout() l, LATERAL (SELECT (l.address + 12 * c.slot) / 64 AS line UNION "
        "SELECT (l.address + 12 * c.slot + 11) / 64) AS lines WHERE l.name = 'PGXACT' AND "
        "a.backend_type IN ('client backend', 'logical replication launcher')";
    const auto gone = "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'";
    while (reader.number(gone) != static_cast<std::int64_t>(sessions.size()) + 1) {
    }
    const auto expected = reader.number(entries);
    const auto own = [&](const std::string& column) {
        return Session(cluster()).number(
            fmt::format("SELECT {} FROM pg_stat_snapshot_cache WHERE pid = {}", column, sessions.front()->pid()));
    };
    const auto lines = own("lines_scanned");
    const auto scans = own("private_scans");
    while (reader.number(gone) != static_cast<std::int64_t>(sessions.size()) + 1) {
    }
    for (int i = 0; i < 20; ++i)
        sessions.front()->run("SELECT 1");
    EXPECT_EQ(own("lines_scanned") - lines, expected * (own("private_scans") - scans));
}

TEST_P(SlotsTest, move_by_the_pad) {
    start({{"max_connections", "200"}});
    const auto before = layout("segment_offset", "PGXACT");
    EXPECT_GT(before, 0);
    const auto entries = layout("entries", "PGXACT");
    start({{"max_connections", "200"}, {"snapshot_layout_pad", "192kB"}});
    EXPECT_EQ(layout("segment_offset", "PGXACT") - before, std::int64_t{192} * 1024);
    EXPECT_EQ(layout("entries", "PGXACT"), entries);
    EXPECT_EQ(layout("(numa_nodes IS NOT NULL)::int", "PGXACT"), 1);
    EXPECT_GT(layout("page_bytes", "PGXACT"), 0);
}

INSTANTIATE_TEST_SUITE_P(Mode, ScannedSlotsTest, testing::Values("off"), name_of_mode);
INSTANTIATE_TEST_SUITE_P(Mode, SlotsTest, testing::Values("off", "lockfree"), name_of_mode);

} // namespace
} // namespace snapscope::test
