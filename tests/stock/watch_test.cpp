// Watchpoints count what is known to happen: on a word of this program, and on a
// slot's xid under scripted transactions.
#include "meanwhile.hpp"
#include "stock_server.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
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
    watch->go_on();
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
    watch->go_on();
    for (std::uint32_t i = 0; i < 200; ++i)
        word = i;
    const auto rows = watch->read();
    EXPECT_EQ(rows[0].writes, 50U);
    EXPECT_EQ(rows[0].reads, 0U);
    EXPECT_TRUE(rows[0].cut);
}

using WatchOnStock = StockTest;

// A turn is as short as setting watchpoints is quick: on a busy machine there are few.
template <typename Work> void for_some_turns(Work work) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(6);
    while (std::chrono::steady_clock::now() < until)
        work();
}

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
    watch->go_on();
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
    Session session(cluster());
    session.run("CREATE TABLE t (i int)");
    const auto folder = scratch() / "rotated.snap";
    const auto outcome = record_meanwhile(cluster(), SNAPSCOPE_PROGRAM,
                                          {"--source", "watch", "--overhead", "50%", "-o", folder.string()},
                                          [&] { for_some_turns([&] { session.run("INSERT INTO t VALUES (1)"); }); });
    EXPECT_EQ(outcome.status, 0) << outcome.output;
    const auto read = read_run(folder);
    ASSERT_TRUE(read) << read.error().message();
    const auto& run = *read;
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

std::vector<double> column(const Run& run, const std::string& name) {
    for (const auto& matrix : run.matrices)
        if (matrix.name == name) {
            std::vector<double> sums(matrix.writers.size());
            for (std::size_t i = 0; i < matrix.counts.size(); ++i)
                sums[i % sums.size()] += matrix.counts[i];
            return sums;
        }
    ADD_FAILURE() << "the run has no " << name;
    return {};
}

// A word that is named misses nothing between the beginning and the end.
TEST_P(WatchOnStock, CountsNamedWordsWithoutABreak) {
    Session session(cluster());
    session.run("CREATE TABLE t (i int)");
    const auto slot = slot_of(words_of(cluster()), session.pid());
    ASSERT_TRUE(slot);
    const auto folder = scratch() / "named.snap";
    constexpr int transactions = 150;
    const auto work = [&] {
        for (int i = 0; i < transactions; ++i)
            session.run("INSERT INTO t VALUES (1)");
    };
    const std::vector<std::string> options{"--source", "watch", "--overhead", "100%", "-o", folder.string(), "--watch"};
    auto two = options;
    two.push_back(fmt::format("lock,slot:{}:xid", *slot));
    const auto outcome = record_meanwhile(cluster(), SNAPSCOPE_PROGRAM, two, work);
    ASSERT_EQ(outcome.status, 0) << outcome.output;
    const auto run = read_run(folder);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_THAT(run->matrices.front().writers, testing::ElementsAre("lock", fmt::format("slot {} xid", *slot)));
    EXPECT_EQ(column(*run, "word_writes").at(1), 2 * transactions) << "set, and cleared";
    EXPECT_GE(column(*run, "word_writes").at(0), 2 * transactions) << "taken and given back";
    EXPECT_EQ(total(*run, "xid_word_writes", "watch"), 2 * transactions);
    EXPECT_GT(total(*run, "xid_word_watched_ns", "watch").value_or(0), 0);

    // Three take turns, and each of them has one.
    auto three = options;
    three.insert(three.end(), {fmt::format("lock,slot:{0}:xid,slot:{0}:xmin", *slot), "--force"});
    const auto turns = record_meanwhile(cluster(), SNAPSCOPE_PROGRAM, three, [&] { for_some_turns(work); });
    ASSERT_EQ(turns.status, 0) << turns.output;
    const auto rotated = read_run(folder);
    ASSERT_TRUE(rotated) << rotated.error().message();
    EXPECT_THAT(column(*rotated, "word_watched_ns"), testing::SizeIs(3));
    EXPECT_THAT(column(*rotated, "word_watched_ns"), testing::Each(testing::Gt(0)));
}

TEST_P(WatchOnStock, RefusesASlotThatTheServerDoesNotHave) {
    const auto folder = scratch() / "refused.snap";
    const auto outcome =
        run_program(cluster(), {SNAPSCOPE_PROGRAM, "record", "--pid", std::to_string(cluster().pid()), "-o",
                                folder.string(), "--source", "watch", "-d", "1", "--watch", "slot:100000:xid"});
    EXPECT_EQ(outcome.status, 2) << outcome.output;
    EXPECT_THAT(outcome.output, testing::HasSubstr("--watch: there is no slot 100000 xid: the server has"));
    EXPECT_FALSE(std::filesystem::exists(folder));
}

INSTANTIATE_TEST_SUITE_P(Server, WatchOnStock, every_stock_server(), name_of_server);

} // namespace
} // namespace snapscope::test
