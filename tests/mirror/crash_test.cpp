// A backend killed hard while the mirror looks on: the server comes back, the
// recording notices, and goes on with what came back.

#include "mirrored.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <gmock/gmock.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

class MirrorCrash : public MirrorTest {
  protected:
    void kill_a_backend() {
        Session victim(cluster());
        ASSERT_EQ(::kill(victim.pid(), SIGKILL), 0);
    }
    void outlive_a_crash(bool map) {
        start();
        const auto before = examine();
        ASSERT_TRUE(before) << before.error().message();
        mirror::SamplerOptions options;
        options.map = map;
        const auto run = watch(options, [&](MirrorSource& source) {
            Session(cluster()).run("SELECT txid_current()");
            EXPECT_EQ(source.sample(monotonic_ns()).at(0), 1);
            EXPECT_THAT(source.status().reason, testing::Not(testing::HasSubstr("not mapped")));
            kill_a_backend();
            ASSERT_TRUE(comes_back(cluster(), 1));
            for (const auto& value : source.sample(monotonic_ns()))
                EXPECT_FALSE(value) << "a gap has no figures";
            // Found again: from some window on it counts.
            bool counts = false;
            for (int i = 0; i < 300 && !counts; ++i) {
                std::this_thread::sleep_for(100ms);
                counts = source.sample(monotonic_ns()).at(0).has_value();
            }
            ASSERT_TRUE(counts);
            Session again(cluster());
            for (int i = 0; i < 10; ++i)
                again.run("SELECT txid_current()");
            EXPECT_EQ(source.sample(monotonic_ns()).at(0), 10);
            EXPECT_TRUE(source.interrupted());
        });
        const auto after = examine();
        ASSERT_TRUE(after) << after.error().message();
        EXPECT_NE(after->anatomy.segment.inode, before->anatomy.segment.inode);
        EXPECT_EQ(run.sources.front().state, SourceState::degraded);
        EXPECT_THAT(run.sources.front().reason, testing::HasSubstr("replaced during the recording"));
        ASSERT_FALSE(run.warnings.empty());
        EXPECT_EQ(count_in_log(cluster(), "reinitializing"), 1);
    }
};

TEST_P(MirrorCrash, a_crash_restart_is_a_gap_and_the_recording_goes_on) {
    outlive_a_crash(false);
}

TEST_P(MirrorCrash, a_held_segment_is_let_go_and_the_server_comes_back) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "mapping another user's server needs CAP_CHECKPOINT_RESTORE; run as root";
    outlive_a_crash(true);
}

TEST_P(MirrorCrash, a_mapping_holds_the_segment_only_until_the_first_crash) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "mapping another user's server needs CAP_CHECKPOINT_RESTORE; run as root";
    start();
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    auto mapping = mirror::SharedMapping::open(*server->image, server->anatomy);
    ASSERT_TRUE(mapping) << mapping.error().message();
    ASSERT_TRUE((*mapping)->held());
    {
        Session session(cluster()); // who leaves in order is no crash
    }
    std::this_thread::sleep_for(200ms);
    mirror::DenseReader by_mapping(server->anatomy);
    mirror::DenseReader by_calls(server->anatomy);
    ASSERT_TRUE(by_mapping.look(**mapping));
    ASSERT_TRUE(by_calls.look(server->image->memory()));
    EXPECT_TRUE((*mapping)->held()) << (*mapping)->why_let_go();
    EXPECT_EQ(by_mapping.seen().counters, by_calls.seen().counters);
    EXPECT_EQ(by_mapping.seen().slots.size(), by_calls.seen().slots.size());
    kill_a_backend();
    ASSERT_TRUE(comes_back(cluster(), 1));
    EXPECT_FALSE((*mapping)->held());
    EXPECT_THAT((*mapping)->why_let_go(), testing::HasSubstr("crashed"));
}

// The server's memory, with somebody in an entry for auxiliary processes.
class WithOneMore final : public mirror::Memory {
  public:
    WithOneMore(const mirror::Memory& memory, mirror::Address at, pid_t pid) : memory_(memory), at_(at), pid_(pid) {}
    [[nodiscard]] Status read(std::span<const mirror::Piece> pieces) const override {
        for (const auto& piece : pieces)
            if (piece.from == at_)
                std::ranges::copy(std::as_bytes(std::span(&pid_, 1)), piece.to.begin());
            else if (const auto read = memory_.read(std::span(&piece, 1)); !read)
                return read;
        return {};
    }

  private:
    const mirror::Memory& memory_;
    mirror::Address at_;
    pid_t pid_;
};

TEST_P(MirrorCrash, who_crashed_before_he_could_be_watched_is_noticed_too) {
    start();
    const auto server = examine();
    ASSERT_TRUE(server) << server.error().message();
    const pid_t ended = ::fork();
    if (ended == 0)
        ::_exit(0);
    ASSERT_EQ(::waitpid(ended, nullptr, 0), ended);
    const auto& a = server->anatomy;
    const mirror::Address entry =
        a.all_procs + std::uint64_t{a.all_proc_count - 1} * a.layout.pgproc_bytes + a.layout.pid;
    const WithOneMore segment(server->image->memory(), entry, ended);
    std::atomic<bool> crashed{false};
    const mirror::CrashGuard guard(*server->image, a, segment, [&](const std::string&) { crashed = true; });
    for (int tries = 0; tries < 300 && !crashed; ++tries)
        std::this_thread::sleep_for(100ms);
    EXPECT_TRUE(crashed);
}

INSTANTIATE_TEST_SUITE_P(Version, MirrorCrash, every_major(), name_of_major);

} // namespace
} // namespace snapscope::test
