// Twenty crashes of twenty: with the segment held by a mapping, and with huge
// pages of which none is to spare.

#include "huge_pages.hpp"
#include "mirrored.hpp"

#include <csignal>
#include <gmock/gmock.h>
#include <unistd.h>

namespace snapscope::test {
namespace {

constexpr int rounds = 20;

class MirrorCrashes : public MirrorTest {
  protected:
    void kill_a_backend() {
        Session victim(cluster());
        ASSERT_EQ(::kill(victim.pid(), SIGKILL), 0);
    }
};

TEST_P(MirrorCrashes, of_a_server_with_a_held_segment_all_end_in_a_restart) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "mapping another user's server needs CAP_CHECKPOINT_RESTORE; run as root";
    start();
    for (int round = 1; round <= rounds; ++round) {
        const auto server = examine();
        ASSERT_TRUE(server) << server.error().message();
        auto mapping = mirror::SharedMapping::open(*server->image, server->anatomy);
        ASSERT_TRUE(mapping) << mapping.error().message();
        kill_a_backend();
        ASSERT_TRUE(comes_back(cluster(), round)) << "round " << round;
        EXPECT_FALSE((*mapping)->held()) << "round " << round;
    }
    EXPECT_EQ(count_in_log(cluster(), "reinitializing"), rounds);
}

// A mirror that held one page would keep the server from coming back.
TEST_P(MirrorCrashes, with_no_huge_page_to_spare_all_end_in_a_restart) {
    constexpr std::uint64_t needed = 80;
    const HugePages pages_for_this(needed);
    if (HugePages::free() < needed)
        GTEST_SKIP() << "this machine grants " << HugePages::free() << " of " << needed << " huge pages";
    start({{"huge_pages", "on"}, {"shared_buffers", "32MB"}, {"max_connections", "20"}});
    {
        const Session settled(cluster()); // the segment is there
    }
    if (!HugePages::leave_none_to_spare())
        GTEST_SKIP() << "somebody else asks for huge pages, too";
    mirror::SamplerOptions options;
    options.map = true; // which is refused
    const auto run = watch(options, [&](MirrorSource& source) {
        EXPECT_THAT(source.status().reason, testing::HasSubstr("huge pages"));
        for (int round = 1; round <= rounds && !HasFailure(); ++round) {
            kill_a_backend();
            ASSERT_TRUE(comes_back(cluster(), round)) << "round " << round;
            (void)source.sample(monotonic_ns());
        }
    });
    EXPECT_EQ(count_in_log(cluster(), "reinitializing"), rounds);
    EXPECT_EQ(run.sources.front().state, SourceState::degraded) << "crashes are gaps";
    cluster_.reset(); // before the machine takes the pages back
}

INSTANTIATE_TEST_SUITE_P(Version, MirrorCrashes, every_major(), name_of_major);

} // namespace
} // namespace snapscope::test
