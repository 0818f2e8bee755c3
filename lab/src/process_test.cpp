#include <snapscope/lab/pgbench.hpp>
#include <snapscope/lab/process.hpp>

#include <csignal>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace snapscope {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

Command shell(std::string script) {
    Command command;
    command.argv = {"sh", "-c", std::move(script)};
    return command;
}

TEST(Process, keeps_what_the_child_printed_and_its_status) {
    const auto finished = run_to_end(shell("echo out; echo err >&2; exit 3"), 10s);
    ASSERT_TRUE(finished) << finished.error().message();
    EXPECT_EQ(finished->status, 3);
    EXPECT_FALSE(finished->timed_out);
    EXPECT_THAT(finished->output, HasSubstr("out\n"));
    EXPECT_THAT(finished->output, HasSubstr("err\n"));
}

TEST(Process, keeps_the_two_streams_apart_when_asked_to) {
    auto command = shell("echo out; echo err >&2; exit 3");
    command.output = Command::Output::apart;
    auto process = Process::start(command);
    ASSERT_TRUE(process) << process.error().message();
    EXPECT_EQ(process->wait_for(10s), 3);
    EXPECT_EQ(process->output(), "out\n");
    EXPECT_EQ(process->errors(), "err\n");
}

TEST(Process, more_output_than_a_pipe_holds_does_not_block_the_child) {
    const auto finished = run_to_end(shell("i=0; while [ $i -lt 3000 ]; do echo "
                                           "0123456789012345678901234567890123456789012345678901234567890123; "
                                           "i=$((i+1)); done"),
                                     30s);
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->output.size(), 3000U * 65U);
}

TEST(Process, passes_words_as_they_are) {
    Command command;
    command.argv = {"printf", "%s|", "a b", "$HOME", "'"};
    const auto finished = run_to_end(command, 10s);
    ASSERT_TRUE(finished);
    EXPECT_EQ(finished->output, "a b|$HOME|'|");
    EXPECT_EQ(command_line(command.argv), "printf '%s|' 'a b' '$HOME' ''\\'''");
}

TEST(Process, sets_variables_beside_those_it_has) {
    auto command = shell("echo \"$SNAPSCOPE_TEST_WORD:$PATH\"");
    command.environment = {{"SNAPSCOPE_TEST_WORD", "yes"}};
    const auto finished = run_to_end(command, 10s);
    ASSERT_TRUE(finished);
    EXPECT_THAT(finished->output, HasSubstr("yes:/"));
}

TEST(Process, a_program_that_is_not_there_is_an_error_that_names_it) {
    Command command;
    command.argv = {"/nonexistent/program"};
    const auto started = Process::start(command);
    ASSERT_FALSE(started);
    EXPECT_THAT(started.error().message(), HasSubstr("/nonexistent/program"));
}

TEST(Process, stops_a_child_that_takes_too_long) {
    const auto finished = run_to_end(shell("sleep 60"), 50ms);
    ASSERT_TRUE(finished);
    EXPECT_TRUE(finished->timed_out);
    EXPECT_EQ(finished->status, 128 + SIGTERM);
}

// Starts a process of the group that is no child of this program; its pid.
pid_t grandchild_of(Process& process) {
    while (process.output().find('\n') == std::string::npos)
        (void)process.wait_for(10ms);
    return std::stoi(process.output());
}

// Gone, or about to be reaped by its new parent.
bool is_gone(pid_t pid) {
    for (int tries = 0; tries < 500 && ::kill(pid, 0) == 0; ++tries)
        ::usleep(10'000);
    return ::kill(pid, 0) != 0;
}

TEST(Process, its_owner_takes_the_whole_group_along) {
    pid_t grandchild = 0;
    {
        auto process = Process::start(shell("sleep 60 & echo $!; wait"));
        ASSERT_TRUE(process);
        grandchild = grandchild_of(*process);
        ASSERT_EQ(::kill(grandchild, 0), 0);
    }
    EXPECT_TRUE(is_gone(grandchild));
}

TEST(Process, stopping_leaves_nothing_of_the_group) {
    auto process = Process::start(shell("(trap '' TERM; exec sleep 60) & echo $!; wait"));
    ASSERT_TRUE(process);
    const pid_t deaf = grandchild_of(*process);
    EXPECT_EQ(process->stop(SIGTERM, 10s), 128 + SIGTERM);
    EXPECT_TRUE(is_gone(deaf));
}

TEST(Process, the_child_ends_when_this_program_is_killed) {
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    const pid_t middle = ::fork();
    if (middle == 0) {
        auto process = Process::start(shell("sleep 60"));
        const pid_t pid = process ? process->pid() : -1;
        (void)!::write(ends[1], &pid, sizeof pid);
        ::kill(::getpid(), SIGKILL);
    }
    pid_t pid = -1;
    ASSERT_EQ(::read(ends[0], &pid, sizeof pid), static_cast<ssize_t>(sizeof pid));
    ::waitpid(middle, nullptr, 0);
    EXPECT_TRUE(is_gone(pid));
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(RunPgbench, a_load_past_its_limit_is_not_valid) {
    Command command;
    command.argv = {"sleep", "60"};
    const auto workload = run_pgbench(command, 50ms);
    ASSERT_TRUE(workload);
    EXPECT_FALSE(workload->valid);
    EXPECT_THAT(workload->notes, Contains(HasSubstr("stopped after")));
}

} // namespace
} // namespace snapscope
