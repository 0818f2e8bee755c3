#include "test_image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

namespace snapscope::mirror {
namespace {

using test::some_sessions;
using test::TestServer;
using testing::HasSubstr;

class Anatomies : public testing::TestWithParam<int> {
  protected:
    TestServer server{table_layout(GetParam())};
    void SetUp() override { server.set_roster(some_sessions(server)); }
};

TEST(Layouts, OnlyKnownMajorVersionsAreSupported) {
    EXPECT_EQ(supported_major("13.16").value(), 13);
    EXPECT_EQ(supported_major("15.18 (Debian 15.18-0+deb12u1)").value(), 15);
    EXPECT_EQ(supported_major("18beta1").value(), 18);
    for (const char* version : {"19devel", "19.1", "12.20", "9.6.24", "", "x", "1318"}) {
        const auto major = supported_major(version);
        ASSERT_FALSE(major) << version;
        EXPECT_EQ(major.error().error_class, ErrorClass::unavailable);
        EXPECT_THAT(major.error().what, HasSubstr(version));
    }
}

TEST_P(Anatomies, AreFoundWithTheRightLayout) {
    const auto found = server.locate(server.l);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->all_procs, TestServer::procs);
    EXPECT_EQ(found->slots, server.all() + TestServer::prepared);
    EXPECT_EQ(found->max_roster(), TestServer::backends + TestServer::prepared);
    EXPECT_STREQ(found->kind_of(0), "client");
    EXPECT_STREQ(found->kind_of(20), "autovacuum");
    EXPECT_STREQ(found->kind_of(24), "background worker");
    EXPECT_STREQ(found->kind_of(32), "walsender");
    EXPECT_STREQ(found->kind_of(server.all()), "prepared transaction");
}

TEST_P(Anatomies, AreRefusedWithTheLayoutOfAnyOtherVersion) {
    for (int other = first_major; other <= last_major; ++other) {
        if (other == GetParam())
            continue;
        const auto found = server.locate(table_layout(other));
        ASSERT_FALSE(found) << "layout of " << other;
        EXPECT_EQ(found.error().error_class, ErrorClass::unavailable);
        EXPECT_THAT(found.error().what, HasSubstr("PostgreSQL " + std::to_string(GetParam()) + ".1"));
        EXPECT_THAT(found.error().what, HasSubstr("expected"));
    }
}

// Only a session of ours proves these (probe_session.hpp).
const std::set<std::string> not_provable{"PGPROC.databaseId",
                                         "PGPROC.roleId",
                                         "PGPROC.wait_event_info",
                                         "PGPROC.lxid",
                                         "PGPROC.xmin",
                                         "VariableCacheData.latestCompletedXid",
                                         "VariableCacheData.xactCompletionCount",
                                         "SnapshotData.snapXactCompletionCount"};

TEST_P(Anatomies, AreRefusedWhenOneProvableFieldIsWrong) {
    int mutants = 0;
    for (const auto& field : layout_fields()) {
        const std::string name = std::string(field.type) + "." + field.name;
        const bool dense_of_13 = name.starts_with("PGXACT");
        const bool present = field.required != nullptr || (server.l.*field.optional).has_value();
        // In 13 the xids that were completed have no epoch that the next one's could differ from.
        const bool counter_of_13 = GetParam() == 13 && name == "VariableCacheData.nextXid";
        if (!present || not_provable.contains(name) || dense_of_13 || counter_of_13)
            continue;
        for (const int by : {-8, -4, 4, 8}) {
            Layout mutant = server.l;
            Offset& offset = field.required != nullptr ? mutant.*field.required : *(mutant.*field.optional);
            if (static_cast<int>(offset) + by < 0)
                continue;
            offset = static_cast<Offset>(static_cast<int>(offset) + by);
            ++mutants;
            EXPECT_FALSE(server.locate(mutant)) << name << " " << by;
        }
    }
    EXPECT_GT(mutants, 40);
}

TEST_P(Anatomies, AreRefusedWhereTheServerContradictsThem) {
    const auto refused_by = [&](const char* check) {
        const auto found = server.locate(server.l);
        ASSERT_FALSE(found) << check;
        EXPECT_THAT(found.error().what, HasSubstr(std::string("check ") + check + " failed"));
    };
    server.children.pop_back();
    server.children.erase(server.children.begin());
    refused_by("roster_children");
    server.children = {4100, 4101, 4102, 4103};
    server.memory.put(TestServer::cache + server.l.latest_completed_xid, TestServer::next_xid);
    refused_by("xid_limits");
    server.memory.put(TestServer::cache + server.l.latest_completed_xid, TestServer::next_xid - 1);
    server.memory.put(TestServer::locks + std::uint64_t{4} * lock_stride, std::uint16_t{5});
    refused_by("lock_tranches");
    server.memory.put(TestServer::start + 4, std::int32_t{1});
    refused_by("segment_header");
}

TEST_P(Anatomies, DoNotTakeABusyServerForAWrongOne) {
    // Every transaction holds locks, in a few of the sixteen lists of its entry.
    for (std::uint32_t slot = 0; slot < TestServer::backends; ++slot)
        for (const std::uint32_t list : {0U, 5U})
            server.memory.put(server.proc_at(slot) + server.l.my_proc_locks + std::uint64_t{list} * 16,
                              TestServer::start + 0x180000);
    EXPECT_TRUE(server.locate(server.l));
}

INSTANTIATE_TEST_SUITE_P(Version, Anatomies, testing::Range(first_major, last_major + 1));

} // namespace
} // namespace snapscope::mirror
