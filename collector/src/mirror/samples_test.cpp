#include "dense_reader.hpp"
#include "proc_reader.hpp"
#include "test_image.hpp"

#include <gtest/gtest.h>

namespace snapscope::mirror {
namespace {

using test::some_sessions;
using test::TestServer;

class Samples : public testing::TestWithParam<int> {
  protected:
    TestServer server{table_layout(GetParam())};
    Anatomy anatomy;
    std::unique_ptr<DenseReader> dense_reader;
    std::unique_ptr<ProcReader> proc_reader;

    void SetUp() override {
        server.set_roster(some_sessions(server));
        auto found = server.locate(server.l);
        ASSERT_TRUE(found) << found.error().message();
        anatomy = *found;
        dense_reader = std::make_unique<DenseReader>(anatomy);
        proc_reader = std::make_unique<ProcReader>(anatomy);
    }
    const DenseSample& dense() {
        const auto looked = dense_reader->look(server.memory);
        EXPECT_TRUE(looked) << looked.error().message();
        return dense_reader->seen();
    }
    const ProcSample& procs() {
        const auto looked = proc_reader->look(server.memory);
        EXPECT_TRUE(looked) << looked.error().message();
        return proc_reader->seen();
    }
    void set_xid(std::uint32_t place, std::uint32_t slot, std::uint32_t xid) {
        server.memory.put(has_pgxact() ? TestServer::pgxact + std::uint64_t{slot} * *anatomy.layout.pgxact_bytes
                                       : TestServer::xids + std::uint64_t{place} * 4,
                          xid);
    }
    void give_out_an_xid() {
        const Address next = TestServer::cache + anatomy.layout.next_xid;
        server.memory.put(next, *load<std::uint64_t>(server.memory, next) + 1);
    }
    [[nodiscard]] bool has_pgxact() const { return anatomy.layout.all_pgxact.has_value(); }
    // Something that the server does so many times, right after ADDRESS was read.
    template <typename Work> void after(Address address, int times, Work work) {
        server.memory.after_piece = [address, work, times](Address read) mutable {
            if (read == address && times-- > 0)
                work();
        };
    }
    [[nodiscard]] Address dense_array() const { return has_pgxact() ? TestServer::pgxact : TestServer::xids; }
};

TEST_P(Samples, HoldWhatTheServerHolds) {
    server.memory.put(anatomy.lock + lock_state, anatomy.layout.exclusive_bit | 3U);
    const auto& seen = dense();
    EXPECT_EQ(seen.torn, Torn::no);
    EXPECT_TRUE(seen.anew);
    EXPECT_TRUE(seen.lock_exclusive);
    EXPECT_EQ(seen.lock_shared, 3U);
    EXPECT_EQ(seen.counters.next_xid, TestServer::next_xid);
    EXPECT_EQ(seen.counters.completion_count.has_value(), !has_pgxact());
    ASSERT_EQ(seen.slots.size(), 5U);
    EXPECT_EQ(seen.slots[1].slot, 3U);
    EXPECT_EQ(seen.slots[1].xid, 4990U);
    EXPECT_EQ(seen.slots[4].slot, server.all() + 1);
    EXPECT_EQ(seen.slots[4].xid, 4950U);

    const auto& entries = procs();
    EXPECT_EQ(entries.torn, Torn::no);
    ASSERT_EQ(entries.slots.size(), 5U);
    EXPECT_EQ(entries.slots[1].pid, 4101);
    EXPECT_EQ(entries.slots[1].database, 5U);
    EXPECT_TRUE(waits_for_proc_array_lock(entries.slots[3].wait_event));
    EXPECT_FALSE(waits_for_proc_array_lock(entries.slots[0].wait_event));
    if (has_pgxact()) {
        EXPECT_EQ(seen.slots[1].xmin, 4980U);
        EXPECT_EQ(seen.slots[1].subxids, 2U);
        EXPECT_EQ(seen.slots[2].flags, flag_in_vacuum);
    } else {
        EXPECT_EQ(entries.slots[1].xmin, 4980U);
        EXPECT_EQ(entries.slots[2].flags, flag_in_vacuum);
    }
}

TEST_P(Samples, SayWhatHasChangedSinceTheLookBefore) {
    EXPECT_TRUE(dense().anew);
    EXPECT_FALSE(dense().anew);
    EXPECT_TRUE(dense().changed.empty());
    set_xid(0, 2, 4999);
    set_xid(1, 3, 0);
    const auto& seen = dense();
    EXPECT_FALSE(seen.anew);
    EXPECT_EQ(seen.changed, (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(seen.slots[0].xid, 4999U);
    EXPECT_EQ(seen.slots[1].xid, 0U);
    EXPECT_EQ(seen.slots[4].xid, 4950U) << "as before";
    EXPECT_TRUE(dense().changed.empty());
}

TEST_P(Samples, SayNothingOfAFreeSlot) {
    (void)dense();
    if (!has_pgxact())
        GTEST_SKIP() << "14+: places without an owner are not read";
    set_xid(0, 5, 4999); // nobody's
    EXPECT_TRUE(dense().changed.empty());
}

TEST_P(Samples, OfAFreeSlotAreNone) {
    const auto sessions = some_sessions(server);
    server.set_roster({sessions.begin(), sessions.begin() + 2}); // the others leave pid, xid and xmin behind
    EXPECT_EQ(dense().slots.size(), 2U);
    EXPECT_EQ(procs().slots.size(), 2U);
}

TEST_P(Samples, GrowWithTheRoster) {
    std::vector<test::Session> many;
    for (std::uint32_t slot = 0; slot < TestServer::backends; ++slot)
        many.push_back({slot, static_cast<std::int32_t>(5000 + slot), 0, 0, 5, 0, 0});
    (void)dense();
    server.set_roster(many);
    const auto& seen = dense();
    EXPECT_EQ(seen.torn, Torn::no);
    EXPECT_TRUE(seen.anew);
    EXPECT_EQ(seen.slots.size(), many.size());
    EXPECT_EQ(procs().slots.back().pid, 5000 + static_cast<std::int32_t>(many.back().slot));
}

TEST_P(Samples, AreTakenAgainWhenSomebodyConnectsMeanwhile) {
    auto more = some_sessions(server);
    more.insert(more.begin(), {1, 4104, 4999, 0, 5, 0, 0});
    (void)dense();
    after(dense_array(), 1, [&] { server.set_roster(more); });
    const auto& seen = dense();
    EXPECT_EQ(seen.torn, Torn::no);
    ASSERT_EQ(seen.slots.size(), 6U);
    EXPECT_EQ(seen.slots[0].xid, 4999U);
}

TEST_P(Samples, AreTornWhileTheRosterNeverStandsStill) {
    auto more = some_sessions(server);
    more.insert(more.begin(), {1, 4104, 4999, 0, 5, 0, 0});
    (void)dense();
    after(dense_array(), 10, [&, with = false]() mutable {
        with = !with;
        server.set_roster(with ? more : some_sessions(server));
    });
    const auto& torn = dense();
    EXPECT_EQ(torn.torn, Torn::roster);
    EXPECT_TRUE(torn.slots.empty());
    server.memory.after_piece = nullptr;
    server.set_roster(more);
    const auto& seen = dense();
    EXPECT_EQ(seen.torn, Torn::no);
    EXPECT_TRUE(seen.anew);
    EXPECT_EQ(seen.slots.size(), 6U);
}

// Somebody else leaves and comes in his place: the roster is as it was, what lies between is not.
TEST_P(Samples, AreTakenAgainWhereTheCountBeforeWasAnother) {
    (void)dense();
    const auto sessions = some_sessions(server);
    server.set_roster({sessions.begin() + 1, sessions.end()});
    after(dense_array(), 1, [&] { server.set_roster(sessions); });
    const auto& seen = dense();
    EXPECT_EQ(seen.torn, Torn::no);
    ASSERT_EQ(seen.slots.size(), 5U);
    EXPECT_EQ(seen.slots[1].xid, 4990U);
}

TEST_P(Samples, AreTornInTheMiddleOfAMove) {
    // memmove has come half way: an entry stands twice.
    const Address roster = TestServer::proc_array + anatomy.layout.roster;
    server.memory.put(roster + 8, std::uint32_t{3});
    EXPECT_EQ(dense().torn, Torn::roster);
    const auto& seen = procs();
    EXPECT_EQ(seen.torn, Torn::roster);
    EXPECT_TRUE(seen.slots.empty());
}

TEST_P(Samples, AreTornByACountThatCannotBe) {
    server.memory.put(TestServer::proc_array, std::uint32_t{100'000});
    EXPECT_EQ(dense().torn, Torn::roster);
    EXPECT_EQ(procs().torn, Torn::roster);
}

TEST_P(Samples, GiveNoSetOfXidsWhenATransactionEndsMeanwhile) {
    after(dense_array(), 3, [&] { give_out_an_xid(); });
    const auto& seen = dense();
    EXPECT_EQ(seen.torn, Torn::counters);
    EXPECT_GT(seen.counters.next_xid, TestServer::next_xid);
    EXPECT_EQ(seen.slots.size(), 5U) << "who is there is still known";
    server.memory.after_piece = nullptr;
    EXPECT_TRUE(dense().anew) << "what they hold is known only now";
}

TEST_P(Samples, KeepAChangeForTheNextWholeLook) {
    (void)dense();
    set_xid(0, 2, 4999);
    after(dense_array(), 1, [&] { give_out_an_xid(); });
    const auto& torn = dense();
    EXPECT_EQ(torn.torn, Torn::counters);
    EXPECT_TRUE(torn.changed.empty());
    EXPECT_EQ(torn.slots[0].xid, 0U);
    const auto& seen = dense();
    EXPECT_EQ(seen.torn, Torn::no);
    EXPECT_EQ(seen.changed, std::vector<std::uint32_t>{0});
    EXPECT_EQ(seen.slots[0].xid, 4999U);
}

TEST_P(Samples, OfProcsAreTornWhenAnEntryPointsElsewhere) {
    if (has_pgxact())
        GTEST_SKIP() << "13 has no such pointer";
    server.memory.put(server.proc_at(7) + *anatomy.layout.pgxactoff, std::uint32_t{3});
    const auto& seen = procs();
    EXPECT_EQ(seen.torn, Torn::roster);
    EXPECT_TRUE(seen.slots.empty());
}

INSTANTIATE_TEST_SUITE_P(Version, Samples, testing::Range(first_major, last_major + 1));

TEST(XidAge, CountsOverTheWrapAndNothingElse) {
    EXPECT_EQ(age_of(4990, 5000), 10U);
    EXPECT_EQ(age_of(0xfffffff0U, (std::uint64_t{4} << 32U) + 16), 32U);
    EXPECT_EQ(age_of(5010, 5000), 0U);
    EXPECT_EQ(age_of(0, 5000), 0U);
    EXPECT_EQ(age_of(2, 5000), 0U) << "the frozen xid has no age";
}

} // namespace
} // namespace snapscope::mirror
