#include "sheltered.hpp"

#include <snapscope/base/unique_fd.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace snapscope {
namespace {

using namespace std::chrono_literals;

TEST(Sheltered, SharesMemoryAndDescriptors) {
    pid_t there = 0;
    int fd = -1;
    std::string text;
    const auto done = run_sheltered([&] {
        there = ::getpid();
        fd = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        text = "made there";
    });
    ASSERT_TRUE(done) << done.error().message();
    EXPECT_NE(there, ::getpid());
    EXPECT_EQ(text, "made there");
    const UniqueFd own(fd);
    EXPECT_GE(::fcntl(fd, F_GETFD), 0) << "what was opened there is open here";
}

TEST(Sheltered, ItsEndIsTold) {
    EXPECT_FALSE(run_sheltered([] { ::_exit(1); }));
}

// A process is killed in the middle of it; the work goes on to its end.
TEST(Sheltered, IsNotCutShortByAKill) {
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
    const UniqueFd from(pipe[0]);
    const pid_t victim = ::fork();
    ASSERT_GE(victim, 0);
    if (victim == 0) {
        (void)run_sheltered([&] {
            (void)!::write(pipe[1], "a", 1);
            ::usleep(300'000);
            (void)!::write(pipe[1], "z", 1);
        });
        ::_exit(0);
    }
    ::close(pipe[1]);
    char letter = 0;
    ASSERT_EQ(::read(from.get(), &letter, 1), 1);
    ASSERT_EQ(letter, 'a');
    ASSERT_EQ(::kill(victim, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(::waitpid(victim, &status, 0), victim);
    EXPECT_TRUE(WIFSIGNALED(status));
    EXPECT_EQ(::read(from.get(), &letter, 1), 1);
    EXPECT_EQ(letter, 'z');
    EXPECT_EQ(::read(from.get(), &letter, 1), 0) << "its descriptors go with it";
}

} // namespace
} // namespace snapscope
