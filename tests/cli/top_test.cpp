// `top` on a terminal of its own, looking at the stand-in server of the
// collector's tests.
#include "program.hpp"
#include "pty.hpp"
#include "victim_process.hpp"

namespace snapscope::test {
namespace {

using testing::ContainsRegex;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

constexpr const char* xterm = "xterm-256color";
constexpr const char* own_screen = "\x1b[?1049h";   // what xterm is told to leave its screen alone,
constexpr const char* first_screen = "\x1b[?1049l"; // and to show it again

Words words_for(const Words& target, Words more = {}) {
    Words all{SNAPSCOPE_PROGRAM, "top", "--source", "ring", "--interval", "100"};
    all.insert(all.end(), target.begin(), target.end());
    all.insert(all.end(), more.begin(), more.end());
    return all;
}

class Top : public ProgramTest {
  protected:
    [[nodiscard]] Words target() const { return {"--pid", std::to_string(victim_.pid())}; }
    // Ended by WHAT with 0, and the terminal is as before.
    static void ends(OnTerminal& top, const std::string& what) {
        EXPECT_EQ(top.wait(), 0) << what;
        EXPECT_TRUE(top.restored()) << what;
        EXPECT_THAT(top.seen(), HasSubstr(first_screen)) << what;
    }
    Victim victim_;
};

TEST_F(Top, ItShowsTheServerAndQuits) {
    OnTerminal top(words_for(target()), xterm);
    EXPECT_TRUE(top.shows("snapscope top"));
    EXPECT_TRUE(top.shows("snapshots"));
    EXPECT_TRUE(top.shows("private scans"));
    EXPECT_TRUE(top.shows("sources"));
    EXPECT_THAT(top.seen(), HasSubstr(own_screen));
    EXPECT_FALSE(top.echoes());
    top.press("q");
    ends(top, "q");
}

TEST_F(Top, EveryWayOutRestoresTheTerminal) {
    for (const std::string what : {"\x03", "Q", "TERM", "HUP", "INT"}) {
        OnTerminal top(words_for(target()), xterm);
        ASSERT_TRUE(top.shows("q quit"));
        if (what == "TERM")
            top.signal(SIGTERM);
        else if (what == "HUP")
            top.signal(SIGHUP);
        else if (what == "INT")
            top.signal(SIGINT);
        else
            top.press(what);
        ends(top, what);
    }
}

TEST_F(Top, APausedScreenStandsStill) {
    OnTerminal top(words_for(target()), xterm);
    ASSERT_TRUE(top.shows("private scans"));
    top.press("p");
    ASSERT_TRUE(top.now_shows("PAUSED"));
    // What the server does meanwhile is not shown, and afterwards it is.
    EXPECT_EQ(victim_.ask("spawn"), "done");
    EXPECT_EQ(victim_.ask("go 10"), "done");
    top.press("+");
    EXPECT_TRUE(top.now_shows("interval 0.2 s"));
    EXPECT_THAT(top.seen(), HasSubstr("2 slots"));
    top.press("p");
    EXPECT_TRUE(top.now_shows("3 slots"));
    top.press("q");
    ends(top, "q");
}

TEST_F(Top, ItFitsEverySizeThatItsTerminalGets) {
    OnTerminal top(words_for(target()), xterm);
    ASSERT_TRUE(top.shows("q quit"));
    for (const auto& [rows, columns] : {std::pair(10, 100), std::pair(2, 20), std::pair(1, 1), std::pair(60, 200)}) {
        top.forget();
        top.resize(static_cast<unsigned short>(rows), static_cast<unsigned short>(columns));
        EXPECT_TRUE(columns < 20 || top.now_shows("q quit")) << rows << " " << columns;
    }
    top.forget();
    top.press("\x1b[B\x1b[A\x1b[6~\x1b[5~"); // arrows and pages
    top.press("q");
    ends(top, "q");
}

TEST_F(Top, AServerThatComesBackIsAttachedAgainWithAGap) {
    const TemporaryFolder folder;
    const Words server{SNAPSCOPE_VICTIM, "-D", folder.path().string()};
    std::optional<PipedProcess> first(std::in_place, server);
    ASSERT_EQ(first->line(), "ready");
    OnTerminal top(words_for({"--pid", std::to_string(first->pid())}), xterm);
    ASSERT_TRUE(top.shows("private scans"));
    top.forget();
    first->send("quit");
    EXPECT_TRUE(top.now_shows("the server has ended"));
    top.forget();
    first.reset();
    PipedProcess second(server);
    ASSERT_EQ(second.line(), "ready");
    EXPECT_TRUE(top.now_shows("private scans"));
    EXPECT_TRUE(top.now_shows("1 gap"));
    EXPECT_EQ(second.ask("go 10"), "done");
    top.press("q");
    ends(top, "q");
}

TEST_F(Top, NothingIsLeftInTheServer) {
    {
        OnTerminal top(words_for(target(), {"--events"}), xterm);
        ASSERT_TRUE(top.shows("private scans"));
        EXPECT_EQ(victim_.ask("control"), "control 1 1");
        victim_.ask("go 20");
        EXPECT_TRUE(top.now_shows("duration, at most"));
        top.press("q");
        ends(top, "q");
    }
    EXPECT_THAT(victim_.ask("control"), testing::StartsWith("control 0"));
}

TEST_F(Top, WithoutATerminalItIsAUsageErrorOfOneLine) {
    auto words = words_for(target());
    words.erase(words.begin());
    const auto outcome = run(words);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("top needs a terminal; use --once"));
    EXPECT_EQ(outcome.out, "");
}

TEST_F(Top, ATerminalThatNobodyKnowsIsAUsageErrorOfOneLine) {
    OnTerminal top(words_for(target()), "no-such-terminal");
    EXPECT_EQ(top.wait(), 2);
    EXPECT_THAT(top.seen(), HasSubstr("top does not know this terminal"));
    EXPECT_TRUE(top.restored());
}

TEST_F(Top, OneScreenAsText) {
    auto words = words_for(target(), {"--once", "--events"});
    words.erase(words.begin());
    words[4] = "1500";
    auto running = start(words);
    // Its events are on once it looks.
    while (victim_.ask("control") != "control 1 1" && !running.ended())
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    victim_.ask("go 30");
    const auto outcome = running.finish();
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, ContainsRegex("snapshots +[0-9.]+/s +counted by ring"));
    EXPECT_THAT(outcome.out, ContainsRegex("  reused +[0-9.]+/s +33.3 %"));
    EXPECT_THAT(outcome.out, ContainsRegex("  all .* 60 +by ring"));
    EXPECT_THAT(outcome.out, ContainsRegex("not placed: [0-9]+ slots, 2 active"));
    EXPECT_THAT(outcome.out, Not(HasSubstr("\x1b")));
    EXPECT_THAT(outcome.out, Not(HasSubstr("q quit")));
}

TEST_F(Top, ASourceThatWasAskedForAndIsMissingMakesAScreenInPart) {
    const Words words{"top",      "--once",    "--interval", "100",
                      "--source", "ring,hitm", "--pid",      std::to_string(victim_.pid())};
    const auto outcome = run(words);
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_THAT(outcome.out, ContainsRegex("hitm +unavailable"));
}

TEST_F(Top, NamesOfTheServerCannotSteerTheTerminal) {
    const TemporaryFolder folder;
    const auto evil = folder.path() / "x\x1b[31mred\nline";
    std::filesystem::create_directory(evil);
    PipedProcess server({SNAPSCOPE_VICTIM, "-D", evil.string()});
    ASSERT_EQ(server.line(), "ready");
    OnTerminal top(words_for({"--pid", std::to_string(server.pid())}), xterm, 40, 250);
    ASSERT_TRUE(top.shows("private scans"));
    EXPECT_THAT(top.seen(), HasSubstr("x\\x1b[31mred\\nline"));
    EXPECT_THAT(top.seen(), Not(HasSubstr("\x1b[31mred")));
    top.press("q");
    ends(top, "q");
}

TEST_F(Top, WhatCannotBeMeantIsSaidBeforeAnythingIsAttached) {
    for (const Words& words : {Words{"top", "--source", "rong"}, Words{"top", "--interval", "1"},
                               Words{"top", "--source", "sql", "--events"}}) {
        const auto outcome = run(words);
        EXPECT_EQ(outcome.status, 2) << words[2];
        EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    }
}

} // namespace
} // namespace snapscope::test
