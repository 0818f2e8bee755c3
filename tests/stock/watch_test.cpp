// Watchpoints count what is known to happen: on a word of this program, and on a
// slot's xid under scripted transactions.
#include "stock_server.hpp"

#include <gtest/gtest.h>
#include <watch_source.hpp>
#include <word_watch.hpp>

namespace snapscope::test {
namespace {

constexpr std::uint64_t no_limit = 1U << 20U;

TEST(WordWatch, CountsReadsAndWritesExactly) {
    alignas(64) static volatile std::uint32_t words[2] = {};
    auto watch = WordWatch::in_this_thread(reinterpret_cast<std::uint64_t>(&words[0]), no_limit);
    if (!watch)
        GTEST_SKIP() << watch.error().message();
    watch->start();
    for (std::uint32_t i = 0; i < 300; ++i) {
        words[0] = i;
        words[1] = words[0];
        words[1] = words[0] + 1; // the neighbour's writes do not count
    }
    watch->stop();
    words[0] = 0;
    const auto rows = watch->read();
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].writes, 300U);
    EXPECT_EQ(rows[0].reads, 600U);
    EXPECT_GT(rows[0].watched_ns, 0U);
    EXPECT_FALSE(rows[0].cut);
}

TEST(WordWatch, StopsByItselfAtItsLimit) {
    static volatile std::uint32_t word = 0;
    auto watch = WordWatch::in_this_thread(reinterpret_cast<std::uint64_t>(&word), 50);
    if (!watch)
        GTEST_SKIP() << watch.error().message();
    watch->start();
    for (std::uint32_t i = 0; i < 200; ++i)
        word = i;
    const auto rows = watch->read();
    EXPECT_EQ(rows[0].writes, 50U);
    EXPECT_EQ(rows[0].reads, 0U);
    EXPECT_TRUE(rows[0].cut);
}

using WatchOnStock = StockTest;

TEST_P(WatchOnStock, AnXidIsWrittenTwiceATransaction) {
    Session session(cluster());
    session.run("CREATE TABLE t (i int)");
    const auto words = words_of(cluster());
    const auto slot = slot_of(words, session.pid());
    ASSERT_TRUE(slot);
    const auto address = address_of(words, cluster().pid(), {WordKind::xid, *slot});
    ASSERT_TRUE(address);
    auto watch = WordWatch::on_every_cpu(*address, no_limit);
    ASSERT_TRUE(watch) << watch.error().message();
    constexpr std::uint64_t transactions = 100;
    watch->start();
    for (std::uint64_t i = 0; i < transactions; ++i)
        session.run("INSERT INTO t VALUES (1)");
    session.run("SELECT 1");
    watch->stop();
    std::uint64_t writes = 0;
    for (const auto& row : watch->read())
        writes += row.writes;
    EXPECT_EQ(writes, 2 * transactions) << "set, and cleared";
    EXPECT_EQ(address, address_of(words, cluster().pid(), {WordKind::xid, *slot})) << "nobody came or went";
}

TEST_P(WatchOnStock, RecordsWhatEachWordSaw) {
    Session(cluster()).run("CREATE TABLE t (i int)");
    const auto run = record("INSERT INTO t VALUES (1);", 3000, {"--source", "watch", "--overhead", "50%"});
    EXPECT_EQ(status_, 0) << output_;
    EXPECT_EQ(source_of(run, "watch").kind, EvidenceKind::counted);
    EXPECT_GT(total(run, "lock_word_writes", "watch").value_or(0), 0) << "every transaction takes the lock";
    EXPECT_GT(total(run, "lock_word_watched_ns", "watch").value_or(0), 0);
    double writes = 0;
    for (const auto& matrix : run.matrices)
        if (matrix.name == "word_writes")
            for (const auto count : matrix.counts)
                writes += count;
    EXPECT_EQ(static_cast<std::int64_t>(writes), total(run, "lock_word_writes", "watch").value_or(0) +
                                                     total(run, "xid_word_writes", "watch").value_or(0) +
                                                     total(run, "xmin_word_writes", "watch").value_or(0));
}

INSTANTIATE_TEST_SUITE_P(Server, WatchOnStock, every_stock_server(), name_of_server);

} // namespace
} // namespace snapscope::test
