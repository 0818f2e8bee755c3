// What snapshots hold, and what they leave alone, where something else than a
// commit happens around them.

#include "session.hpp"

#include <fmt/format.h>

namespace snapscope::test {
namespace {

class SnapshotsTest : public ServerTest {
  protected:
    void SetUp() override {
        ServerTest::SetUp();
        if (!IsSkipped())
            start({{"max_connections", "50"}});
    }
};

// Of what an extension filled, freed and begins anew in the same place, nothing is remembered.
TEST_P(SnapshotsTest, are_filled_anew_where_one_was_freed) {
    Session session(cluster());
    session.run("CREATE EXTENSION snapscope_test");
    EXPECT_EQ(session.value("SELECT xmax::text FROM snapscope_snapshot()"),
              session.value("SELECT snapscope_refilled_xmax()::text"));
}

INSTANTIATE_TEST_SUITE_P(Mode, SnapshotsTest, every_mode(), name_of_mode);

} // namespace
} // namespace snapscope::test
