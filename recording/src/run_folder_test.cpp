#include "sample_run.hpp"
#include "test_folder.hpp"

#include <snapscope/recording/run_folder.hpp>
#include <snapscope/recording/windows.hpp>

#include <csignal>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// A run at its start: two series, no windows.
Run starting_run() {
    auto run = full_sample_run();
    run.finished = true; // the writer must not believe it
    run.clock.end_ns = 0;
    run.windows.start_ns.clear();
    run.windows.end_ns.clear();
    for (Series& series : run.windows.series)
        series.values.clear();
    run.warnings.clear();
    return run;
}

class RunFolderTest : public FolderTest {
  protected:
    RunFolderWriter must_create(bool force = false) {
        auto writer = RunFolderWriter::create(path(), starting_run(), force);
        EXPECT_TRUE(writer) << writer.error().message();
        return std::move(writer).value();
    }
    fs::path path() { return folder / "a.snap"; }

    std::vector<std::string> names(const fs::path& in) {
        std::vector<std::string> out;
        for (const auto& entry : fs::directory_iterator(in))
            out.push_back(entry.path().filename().string());
        std::ranges::sort(out);
        return out;
    }
    static unsigned mode_of(const fs::path& of) {
        struct stat status {};
        EXPECT_EQ(::stat(of.c_str(), &status), 0);
        return status.st_mode & 07777U;
    }
};

TEST_F(RunFolderTest, AFinishedRunIsReadBackAndLeavesNoJournal) {
    auto writer = must_create();
    ASSERT_TRUE(writer.append_window({1000, 5000, {10.5, 0.1}}));
    ASSERT_TRUE(writer.append_window({5000, 9000, {std::nullopt, 1e300}}));
    const auto status = writer.finish(full_sample_run());
    ASSERT_TRUE(status) << status.error().message();
    EXPECT_THAT(names(path()), ElementsAre("run.json"));
    const auto run = read_run(path());
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_TRUE(run->finished);
    EXPECT_EQ(run_to_json(*run), run_to_json(full_sample_run()));
}

TEST_F(RunFolderTest, FilesAndFoldersArePrivateWhateverTheUmask) {
    const mode_t old = ::umask(0);
    auto writer = must_create();
    ::umask(old);
    EXPECT_EQ(mode_of(path()), 0700U);
    EXPECT_EQ(mode_of(path() / "run.json"), 0600U);
    EXPECT_EQ(mode_of(path() / "journal.jsonl"), 0600U);
    EXPECT_THAT(names(folder), ElementsAre("a.snap"));
}

TEST_F(RunFolderTest, ARecordingThatGoesOnReadsUpToItsLastWindowAndSaysSo) {
    auto writer = must_create();
    ASSERT_TRUE(writer.append_window({1000, 5000, {1.0, 2.0}}));
    const auto run = read_run(path());
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_FALSE(run->finished);
    EXPECT_THAT(run->windows.end_ns, ElementsAre(5000));
    EXPECT_THAT(run->warnings, ElementsAre(HasSubstr("still going on")));
}

TEST_F(RunFolderTest, AGapIsKnownBeforeTheEndAndCostsNoWindow) {
    auto writer = must_create();
    ASSERT_TRUE(writer.append_window({1000, 5000, {1.0, 2.0}}));
    snapscope::Run known = starting_run();
    append_row(known.windows, {1000, 5000, {1.0, 2.0}});
    known.gaps = {{5000, 6000, "crash", "the server began anew", 12, "13.16"}};
    ASSERT_TRUE(writer.revise(known));
    ASSERT_TRUE(writer.append_window({6000, 7000, {3.0, 4.0}}));
    const auto run = read_run(path());
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_FALSE(run->finished);
    ASSERT_EQ(run->gaps.size(), 1U);
    EXPECT_EQ(run->gaps[0].kind, "crash");
    EXPECT_THAT(run->windows.end_ns, ElementsAre(5000, 7000));
}

TEST_F(RunFolderTest, AKilledRecordingReadsUpToItsLastWholeWindowAndSaysSo) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        auto writer = RunFolderWriter::create(path(), starting_run(), false);
        if (writer && writer->append_window({1000, 5000, {1.0, 2.0}}) &&
            writer->append_window({5000, 7000, {3.0, std::nullopt}}))
            ::raise(SIGKILL);
        ::_exit(1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    std::ofstream(path() / "journal.jsonl", std::ios::app) << "{\"start_ns\":7000,\"end";

    const auto run = read_run(path());
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_FALSE(run->finished);
    EXPECT_THAT(run->windows.start_ns, ElementsAre(1000, 5000));
    EXPECT_EQ(run->clock.end_ns, 7000);
    EXPECT_THAT(run->windows.series[1].values, ElementsAre(2.0, std::nullopt));
    ASSERT_EQ(run->totals.size(), 3U) << "what its windows counted is its total";
    EXPECT_EQ(run->totals[2].name, "lines_scanned");
    EXPECT_EQ(run->totals[2].value, 2);
    EXPECT_THAT(run->warnings, ElementsAre(HasSubstr("cut off: 2 whole windows")));
    EXPECT_THAT(run->warnings, ElementsAre(HasSubstr("damaged")));
}

TEST_F(RunFolderTest, AFullDiskIsAnErrorAndWholeWindowsStay) {
    // A limit on file size stands for a full disk: the write comes back short.
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        auto writer = RunFolderWriter::create(path(), starting_run(), false);
        if (!writer || !writer->append_window({1000, 5000, {1.0, 2.0}}))
            ::_exit(1);
        const rlimit tight{fs::file_size(path() / "journal.jsonl") + 10, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &tight);
        if (writer->append_window({5000, 7000, {1.0, 2.0}}))
            ::_exit(2);
        const rlimit loose{RLIM_INFINITY, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &loose);
        if (!writer->append_window({7000, 8000, {1.0, 2.0}}))
            ::_exit(3);
        const rlimit none{10, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &none);
        auto last = full_sample_run();
        ::_exit(writer->finish(last) ? 4 : 0);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFEXITED(status));
    ASSERT_EQ(WEXITSTATUS(status), 0);
    const auto run = read_run(path());
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_FALSE(run->finished);
    EXPECT_THAT(run->windows.start_ns, ElementsAre(1000, 7000));
    EXPECT_THAT(names(path()), ElementsAre("journal.jsonl", "run.json"));
}

TEST_F(RunFolderTest, WhatDoesNotFitNamesTheRunAndLeavesNothing) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::signal(SIGXFSZ, SIG_IGN);
        const rlimit none{10, RLIM_INFINITY};
        ::setrlimit(RLIMIT_FSIZE, &none);
        const auto writer = RunFolderWriter::create(path(), starting_run(), false);
        ::_exit(!writer && writer.error().what == "cannot write " + (path() / "run.json").string() + ": File too large"
                    ? 0
                    : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(fs::is_empty(folder));
}

TEST_F(RunFolderTest, AFolderIsCheckedWithoutATrace) {
    EXPECT_TRUE(RunFolderWriter::check(path(), false));
    EXPECT_TRUE(fs::is_empty(folder));
    EXPECT_EQ(RunFolderWriter::check(folder / "x", false).error().error_class, ErrorClass::usage);
    EXPECT_FALSE(RunFolderWriter::check(folder / "none" / "x.snap", false));
    fs::create_directory(path());
    EXPECT_THAT(RunFolderWriter::check(path(), false).error().what, HasSubstr("exists"));
    EXPECT_THAT(RunFolderWriter::check(path(), true).error().what, HasSubstr("not a run"));
}

TEST_F(RunFolderTest, NothingIsOverwrittenWithoutForce) {
    { auto writer = must_create(); }
    const auto again = RunFolderWriter::create(path(), starting_run(), false);
    ASSERT_FALSE(again);
    EXPECT_THAT(again.error().message(), HasSubstr("--force"));
    EXPECT_TRUE(fs::exists(path() / "journal.jsonl"));
}

TEST_F(RunFolderTest, ForceReplacesARun) {
    {
        auto writer = must_create();
        ASSERT_TRUE(writer.append_window({1000, 5000, {1.0, 2.0}}));
        fs::create_directory(writer.events_folder());
    }
    auto writer = must_create(true);
    EXPECT_THAT(names(path()), ElementsAre("journal.jsonl", "run.json"));
    EXPECT_THAT(names(folder), ElementsAre("a.snap"));
    EXPECT_TRUE(read_run(path())->windows.end_ns.empty());
}

TEST_F(RunFolderTest, ForceRemovesOnlyARunThatNobodyWrites) {
    const auto refused = [this](const char* why) {
        const auto writer = RunFolderWriter::create(path(), starting_run(), true);
        ASSERT_FALSE(writer) << why;
        EXPECT_THAT(writer.error().what, HasSubstr("will not remove")) << why;
        EXPECT_THAT(writer.error().what, HasSubstr(why));
    };
    fs::create_directory(path());
    refused("not a run");
    put(path() / "run.json", "{}");
    refused("not a run");
    fs::remove_all(path());
    {
        auto writer = must_create();
        refused("going on");
    }
    put(path() / "notes.txt", "mine");
    refused("notes.txt");
    EXPECT_EQ(bytes_of(path() / "notes.txt"), "mine");
    fs::remove(path() / "notes.txt");
    fs::rename(path(), folder / "b.snap");
    fs::create_directory_symlink(folder / "b.snap", path());
    refused("no folder");
    EXPECT_TRUE(fs::exists(folder / "b.snap" / "run.json"));
    fs::remove(path());
    put(path(), "a file");
    refused("no folder");
}

TEST_F(RunFolderTest, TheNameMustEndInSnapAndMayEndInASlash) {
    const auto bad = RunFolderWriter::create(folder / "a", starting_run(), true);
    ASSERT_FALSE(bad);
    EXPECT_EQ(bad.error().error_class, ErrorClass::usage);
    EXPECT_FALSE(RunFolderWriter::create(folder / ".snap", starting_run(), true));
    const auto slash = RunFolderWriter::create(fs::path((folder / "c.snap").string() + "/"), starting_run(), false);
    ASSERT_TRUE(slash) << slash.error().message();
    EXPECT_TRUE(fs::exists(folder / "c.snap" / "run.json"));
    EXPECT_FALSE(RunFolderWriter::create(folder / "none" / "a.snap", starting_run(), false));
}

TEST_F(RunFolderTest, ARunThatCouldNotBeReadIsNotWritten) {
    auto run = starting_run();
    run.matrices[0].counts[1] = std::numeric_limits<double>::quiet_NaN();
    const auto writer = RunFolderWriter::create(path(), run, false);
    ASSERT_FALSE(writer);
    EXPECT_THAT(writer.error().what, HasSubstr("/matrices/0/counts/1"));
    EXPECT_THAT(names(folder), ElementsAre());
}

TEST_F(RunFolderTest, AWindowThatDoesNotFitTheSeriesIsRefused) {
    auto writer = must_create();
    EXPECT_FALSE(writer.append_window({1000, 5000, {1.0}}));
    EXPECT_FALSE(writer.append_window({5000, 1000, {1.0, 2.0}}));
    EXPECT_TRUE(read_run(path())->windows.end_ns.empty());
}

TEST_F(RunFolderTest, FinishingMustNotLoseWindows) {
    auto writer = must_create();
    ASSERT_TRUE(writer.append_window({1000, 5000, {1.0, 2.0}}));
    const auto status = writer.finish(starting_run());
    ASSERT_FALSE(status);
    EXPECT_EQ(read_run(path())->windows.end_ns.size(), 1U);
}

TEST_F(RunFolderTest, AnUnfinishedRunWithoutItsJournalSaysSo) {
    { auto writer = must_create(); }
    fs::remove(path() / "journal.jsonl");
    const auto run = read_run(path());
    ASSERT_TRUE(run);
    EXPECT_FALSE(run->finished);
    EXPECT_THAT(run->warnings, ElementsAre(HasSubstr("journal cannot be read")));
}

TEST_F(RunFolderTest, WhatIsNoRunIsAnErrorThatNamesTheFile) {
    for (const char* const text : {"", "{", "nul", "[1,", "1e999", "\xff\xfe", "{\"schema_version\":1}", "[[[[[[[["}) {
        put(folder / "run.json", text);
        const auto run = read_run(folder);
        ASSERT_FALSE(run) << text;
        EXPECT_THAT(run.error().what, HasSubstr((folder / "run.json").string()));
    }
    EXPECT_FALSE(read_run(folder / "none.snap"));
    put(folder / "run.json", std::string(1'000'000, '['));
    EXPECT_FALSE(read_run(folder));
}

TEST_F(RunFolderTest, ARunJsonCutAtAnyByteIsRefusedInPlainWords) {
    const std::string whole = run_to_json(bare_sample_run()).dump();
    for (std::size_t cut = 0; cut < whole.size(); ++cut) {
        put(folder / "run.json", whole.substr(0, cut));
        const auto run = read_run(folder);
        ASSERT_FALSE(run) << cut;
        EXPECT_THAT(run.error().what, StartsWith((folder / "run.json").string() + " is cut off or not JSON (byte "));
    }
    put(folder / "run.json", whole);
    EXPECT_TRUE(read_run(folder));
}

TEST_F(RunFolderTest, RunIdsAreHexAndDiffer) {
    const auto first = make_run_id();
    const auto second = make_run_id();
    ASSERT_TRUE(first && second);
    EXPECT_THAT(*first, ::testing::MatchesRegex("[0-9a-f]+"));
    EXPECT_EQ(first->size(), 32U);
    EXPECT_NE(*first, *second);
}

} // namespace
} // namespace snapscope
