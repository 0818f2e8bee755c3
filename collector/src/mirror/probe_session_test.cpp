#include "probe_session.hpp"
#include "test_image.hpp"

#include <gtest/gtest.h>

namespace snapscope::mirror {
namespace {

using test::TestServer;

class ProbeSession : public testing::TestWithParam<int> {
  protected:
    TestServer server{table_layout(GetParam())};
    const SessionState told{4101, 4990, 4980, 5, 0, 1, true};
    void SetUp() override {
        auto sessions = test::some_sessions(server);
        sessions[1].subxids = 1;
        server.set_roster(sessions);
    }
    [[nodiscard]] std::string seen_with(const Layout& layout) const {
        auto anatomy = server.locate(server.l);
        EXPECT_TRUE(anatomy);
        anatomy->layout = layout;
        const auto found = find_session(server.memory, *anatomy, told.pid);
        if (!found || !*found)
            return "not found";
        return difference(**found, told);
    }
};

TEST_P(ProbeSession, AgreesWithTheRightLayout) {
    EXPECT_EQ(seen_with(server.l), "");
}

TEST_P(ProbeSession, ContradictsAWrongFieldThatStructureCannotProve) {
    for (const int by : {-8, -4, 4, 8}) {
        const auto moved = [by](Offset offset) { return static_cast<Offset>(static_cast<int>(offset) + by); };
        Layout database = server.l;
        database.database = moved(database.database);
        EXPECT_NE(seen_with(database), "") << "database " << by;
        Layout wait = server.l;
        wait.wait_event_info = moved(wait.wait_event_info);
        EXPECT_NE(seen_with(wait), "") << "wait_event_info " << by;
        Layout xmin = server.l;
        std::optional<Offset>& offset = xmin.proc_xmin ? xmin.proc_xmin : xmin.pgxact_xmin;
        if (static_cast<int>(*offset) + by < 0)
            continue;
        offset = moved(*offset);
        EXPECT_NE(seen_with(xmin), "") << "xmin " << by;
    }
}

TEST_P(ProbeSession, NamesEachFieldThatDiffers) {
    SessionState other = told;
    other.xmin = 1;
    other.subxids = 0;
    EXPECT_EQ(difference(other, told), "xmin is 1, expected 4980; the count of subtransactions is 0, expected 1");
}

INSTANTIATE_TEST_SUITE_P(Version, ProbeSession, testing::Range(first_major, last_major + 1));

TEST(ProbeCounters, MustHaveMoved) {
    const Counters before{1000, 990, 50};
    EXPECT_EQ(contradiction(before, {1002, 1001, 52}, 1000), "");
    EXPECT_NE(contradiction(before, {1001, 1001, 52}, 1000), "") << "two xids were taken";
    EXPECT_NE(contradiction(before, {1002, 990, 52}, 1000), "") << "the session has ended";
    EXPECT_NE(contradiction(before, {1002, 1001, 50}, 1000), "");
    EXPECT_EQ(contradiction({1000, 990, std::nullopt}, {1002, 1001, std::nullopt}, 1000), "");
}

} // namespace
} // namespace snapscope::mirror
