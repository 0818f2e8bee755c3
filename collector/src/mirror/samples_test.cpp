#include "samples.hpp"
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
    DenseSample dense;
    ProcSample procs;

    void SetUp() override {
        server.set_roster(some_sessions(server));
        auto found = server.locate(server.l);
        ASSERT_TRUE(found) << found.error().message();
        anatomy = *found;
    }
    [[nodiscard]] bool has_pgxact() const { return anatomy.layout.all_pgxact.has_value(); }
    // Something that the server does once, right after ADDRESS was read.
    template <typename Work> void once_after(Address address, Work work) {
        server.memory.after_piece = [this, address, work, done = false](Address read) mutable {
            if (read != address || done)
                return;
            done = true;
            work();
        };
    }
    [[nodiscard]] Address dense_array() const { return has_pgxact() ? TestServer::pgxact : TestServer::xids; }
};

TEST_P(Samples, HoldWhatTheServerHolds) {
    server.memory.put(anatomy.lock + lock_state, anatomy.layout.exclusive_bit | 3U);
    SampleReader reader(anatomy);
    ASSERT_TRUE(reader.read(server.memory, dense));
    EXPECT_EQ(dense.torn, Torn::no);
    EXPECT_TRUE(dense.lock_exclusive);
    EXPECT_EQ(dense.lock_shared, 3U);
    EXPECT_EQ(dense.counters.next_xid, TestServer::next_xid);
    EXPECT_EQ(dense.counters.completion_count.has_value(), !has_pgxact());
    ASSERT_EQ(dense.slots.size(), 5U);
    EXPECT_EQ(dense.slots[1].slot, 3U);
    EXPECT_EQ(dense.slots[1].xid, 4990U);
    EXPECT_EQ(dense.slots[1].subxids, 2U);
    EXPECT_EQ(dense.slots[2].flags, flag_in_vacuum);
    EXPECT_EQ(dense.slots[4].slot, server.all() + 1);
    EXPECT_EQ(dense.slots[4].xid, 4950U);

    ASSERT_TRUE(reader.read(server.memory, procs));
    EXPECT_EQ(procs.torn, Torn::no);
    ASSERT_EQ(procs.slots.size(), 5U);
    EXPECT_EQ(procs.slots[1].pid, 4101);
    EXPECT_EQ(procs.slots[1].database, 5U);
    EXPECT_TRUE(waits_for_proc_array_lock(procs.slots[3].wait_event));
    EXPECT_FALSE(waits_for_proc_array_lock(procs.slots[0].wait_event));
    EXPECT_EQ(has_pgxact() ? dense.slots[1].xmin : procs.slots[1].xmin, 4980U);
}

TEST_P(Samples, OfAFreeSlotAreNone) {
    SampleReader reader(anatomy);
    const auto sessions = some_sessions(server);
    server.set_roster({sessions.begin(), sessions.begin() + 2}); // the others leave pid, xid and xmin behind
    ASSERT_TRUE(reader.read(server.memory, dense));
    ASSERT_TRUE(reader.read(server.memory, procs));
    EXPECT_EQ(dense.slots.size(), 2U);
    EXPECT_EQ(procs.slots.size(), 2U);
}

TEST_P(Samples, GrowWithTheRoster) {
    std::vector<test::Session> many;
    for (std::uint32_t slot = 0; slot < TestServer::backends; ++slot)
        many.push_back({slot, static_cast<std::int32_t>(5000 + slot), 0, 0, 5, 0, 0});
    SampleReader reader(anatomy);
    ASSERT_TRUE(reader.read(server.memory, dense));
    server.set_roster(many);
    ASSERT_TRUE(reader.read(server.memory, dense));
    EXPECT_EQ(dense.torn, Torn::no);
    EXPECT_EQ(dense.slots.size(), many.size());
    ASSERT_TRUE(reader.read(server.memory, procs));
    EXPECT_EQ(procs.slots.back().pid, 5000 + static_cast<std::int32_t>(many.back().slot));
}

TEST_P(Samples, AreTornWhenSomebodyConnectsMeanwhile) {
    auto more = some_sessions(server);
    more.insert(more.begin(), {1, 4104, 4999, 0, 5, 0, 0});
    once_after(dense_array(), [&] { server.set_roster(more); });
    SampleReader reader(anatomy);
    ASSERT_TRUE(reader.read(server.memory, dense));
    EXPECT_EQ(dense.torn, Torn::roster);
    EXPECT_TRUE(dense.slots.empty());
    ASSERT_TRUE(reader.read(server.memory, dense));
    EXPECT_EQ(dense.torn, Torn::no);
    EXPECT_EQ(dense.slots.size(), 6U);
}

TEST_P(Samples, AreTornInTheMiddleOfAMove) {
    // memmove has come half way: an entry stands twice.
    const Address roster = TestServer::proc_array + anatomy.layout.roster;
    server.memory.put(roster + 8, std::uint32_t{3});
    SampleReader reader(anatomy);
    ASSERT_TRUE(reader.read(server.memory, dense));
    EXPECT_EQ(dense.torn, Torn::roster);
    ASSERT_TRUE(reader.read(server.memory, procs));
    EXPECT_EQ(procs.torn, Torn::roster);
    EXPECT_TRUE(procs.slots.empty());
}

TEST_P(Samples, AreTornByACountThatCannotBe) {
    SampleReader reader(anatomy);
    server.memory.put(TestServer::proc_array, std::uint32_t{100'000});
    ASSERT_TRUE(reader.read(server.memory, dense));
    EXPECT_EQ(dense.torn, Torn::roster);
}

TEST_P(Samples, GiveNoSetOfXidsWhenATransactionEndsMeanwhile) {
    once_after(dense_array(),
               [&] { server.memory.put(TestServer::cache + anatomy.layout.next_xid, TestServer::next_xid + 1); });
    SampleReader reader(anatomy);
    ASSERT_TRUE(reader.read(server.memory, dense));
    EXPECT_EQ(dense.torn, Torn::counters);
    EXPECT_EQ(dense.counters.next_xid, TestServer::next_xid + 1);
    EXPECT_EQ(dense.slots.size(), 5U) << "who is there is still known";
}

TEST_P(Samples, OfProcsAreTornWhenAnEntryPointsElsewhere) {
    if (has_pgxact())
        GTEST_SKIP() << "13 has no such pointer";
    server.memory.put(server.proc_at(7) + *anatomy.layout.pgxactoff, std::uint32_t{3});
    SampleReader reader(anatomy);
    ASSERT_TRUE(reader.read(server.memory, procs));
    EXPECT_EQ(procs.torn, Torn::roster);
    EXPECT_TRUE(procs.slots.empty());
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
