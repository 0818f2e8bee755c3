// Twenty crashes of twenty, each with the segment held by a mapping.

#include "mirrored.hpp"

#include <csignal>
#include <unistd.h>

namespace snapscope::test {
namespace {

class MirrorCrashes : public MirrorTest {};

TEST_P(MirrorCrashes, of_a_server_with_a_held_segment_all_end_in_a_restart) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "mapping another user's server needs CAP_CHECKPOINT_RESTORE; run as root";
    constexpr int rounds = 20;
    start();
    for (int round = 1; round <= rounds; ++round) {
        const auto server = examine();
        ASSERT_TRUE(server) << server.error().message();
        auto mapping = mirror::SharedMapping::open(*server->image, server->anatomy);
        ASSERT_TRUE(mapping) << mapping.error().message();
        {
            Session victim(cluster());
            ASSERT_EQ(::kill(victim.pid(), SIGKILL), 0);
        }
        ASSERT_TRUE(comes_back(cluster(), round)) << "round " << round;
        EXPECT_FALSE((*mapping)->held()) << "round " << round;
    }
    EXPECT_EQ(count_in_log(cluster(), "reinitializing"), rounds);
}

INSTANTIATE_TEST_SUITE_P(Version, MirrorCrashes, every_major(), name_of_major);

} // namespace
} // namespace snapscope::test
