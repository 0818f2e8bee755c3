// The program with the mirror: what a user of an unpatched server gets.

#include "mirrored.hpp"

#include <snapscope/lab/account.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <thread>
#include <unistd.h>

namespace snapscope::test {
namespace {

using testing::HasSubstr;

class MirrorRecord : public MirrorTest {
  protected:
    [[nodiscard]] ProgramResult program(std::vector<std::string> words, std::vector<std::string> before = {}) const {
        before.insert(before.end(), {SNAPSCOPE_PROGRAM});
        before.insert(before.end(), words.begin(), words.end());
        return run_program(cluster(), std::move(before));
    }
    [[nodiscard]] std::vector<std::string> target() const { return {"--pid", std::to_string(cluster().pid())}; }
    static nlohmann::json row(const std::string& doctor) {
        const auto json = nlohmann::json::parse(doctor, nullptr, false);
        EXPECT_FALSE(json.is_discarded()) << doctor;
        for (const auto& source : json.is_discarded() ? nlohmann::json::array() : json["sources"])
            if (source["name"] == "mirror")
                return source;
        return {};
    }
};

TEST_P(MirrorRecord, records_windows_slots_and_totals_that_show_reads) {
    start();
    auto scratch = ScratchFolder::create();
    ASSERT_TRUE(scratch) << scratch.error().message();
    const auto folder = scratch->path() / "run.snap";
    std::atomic<bool> stop{false};
    std::thread load([&] {
        Session session(cluster());
        while (!stop)
            session.run("SELECT txid_current()");
    });
    const auto recorded = program({"record", "--pid", std::to_string(cluster().pid()), "--source", "mirror", "-d", "2",
                                   "--interval", "500", "--mirror-hz", "500", "-o", folder.string()});
    stop = true;
    load.join();
    EXPECT_EQ(recorded.status, 0) << recorded.output;
    const auto run = read_run(folder);
    ASSERT_TRUE(run) << run.error().message();
    ASSERT_EQ(run->sources.size(), 1U);
    EXPECT_EQ(run->sources[0].state, SourceState::active) << run->sources[0].reason;
    EXPECT_GT(total(*run, "xids_assigned").value_or(0), 0);
    EXPECT_FALSE(run->slots.empty());
    EXPECT_FALSE(run->layout.arrays.empty());
    std::int64_t windows = 0;
    for (const auto& series : run->windows.series)
        if (series.name == "xids_assigned")
            for (const auto& value : series.values)
                windows += static_cast<std::int64_t>(value.value_or(-1e9));
    EXPECT_EQ(windows, total(*run, "xids_assigned"));

    const auto shown = program({"show", folder.string(), "--format", "json"});
    EXPECT_EQ(shown.status, 0) << shown.output;
    const auto json = nlohmann::json::parse(shown.output, nullptr, false);
    ASSERT_FALSE(json.is_discarded()) << shown.output;
    EXPECT_EQ(json["mirror"]["kind"], "sampled");
    EXPECT_EQ(json["mirror"]["xids_assigned"], total(*run, "xids_assigned"));
    EXPECT_GT(json["mirror"]["slots_taken"], 0.5);
    EXPECT_THAT(program({"show", folder.string()}).output, HasSubstr("sampled by mirror"));
}

TEST_P(MirrorRecord, a_postmaster_that_ends_is_noticed_and_said) {
    start();
    auto scratch = ScratchFolder::create();
    ASSERT_TRUE(scratch) << scratch.error().message();
    const auto folder = scratch->path() / "run.snap";
    Command command;
    command.argv = {SNAPSCOPE_PROGRAM,
                    "record",
                    "--pid",
                    std::to_string(cluster().pid()),
                    "--source",
                    "mirror",
                    "--interval",
                    "100",
                    "-d",
                    "120",
                    "--return-limit",
                    "0",
                    "-o",
                    folder.string()};
    auto recorder = Process::start(std::move(command));
    ASSERT_TRUE(recorder) << recorder.error().message();
    // Windows are being written: it watches.
    const auto journal_grows = [&] { return read_run(folder) && !read_run(folder)->windows.end_ns.empty(); };
    ASSERT_TRUE(within_seconds(30, journal_grows)) << recorder->output();
    cluster_->stop();
    const auto status = recorder->wait_for(std::chrono::seconds(30));
    ASSERT_TRUE(status) << "it goes on without a server";
    EXPECT_EQ(*status, 3) << recorder->output();
    const auto run = read_run(folder);
    ASSERT_TRUE(run) << run.error().message();
    EXPECT_TRUE(run->finished);
    EXPECT_THAT(run->warnings, testing::Contains(HasSubstr("the server ended")));
    // Nobody wrote; the last look before the end is the end of what it knows.
    EXPECT_EQ(total(*run, "xids_assigned"), 0);
    EXPECT_TRUE(run->gaps.empty());
}

TEST_P(MirrorRecord, doctor_says_what_it_found) {
    start();
    auto words = target();
    words.insert(words.begin(), "doctor");
    words.insert(words.end(), {"--format", "json"});
    const auto found = row(program(words).output);
    EXPECT_EQ(found["state"], "available") << found.dump();
    EXPECT_EQ(found["kind"], "sampled");
    EXPECT_THAT(found["reason"].get<std::string>(), HasSubstr("confirmed by"));
}

TEST_P(MirrorRecord, doctor_names_what_the_kernel_keeps_back) {
    start();
    auto words = target();
    words.insert(words.begin(), "doctor");
    const auto text = program(words).output;
    words.insert(words.end(), {"--format", "json"});
    const auto json = nlohmann::json::parse(program(words).output, nullptr, false);
    ASSERT_FALSE(json.is_discarded());
    ASSERT_EQ(json["limits"].size(), 6U) << json.dump();
    for (const auto& limit : json["limits"]) {
        EXPECT_EQ(limit["limits"], !limit["sources"].empty()) << limit.dump();
        if (!limit["limits"])
            continue;
        EXPECT_THAT(text, HasSubstr(limit["reason"].get<std::string>()));
        EXPECT_THAT(text, HasSubstr(limit["hint"].get<std::string>()));
    }
}

TEST_P(MirrorRecord, without_a_right_the_missing_one_is_named) {
    if (::geteuid() != 0)
        GTEST_SKIP() << "becoming another user needs root";
    start();
    const std::vector<std::string> nobody{"/usr/bin/setpriv", "--reuid=65534", "--regid=65534", "--clear-groups",
                                          "--inh-caps=-all"};
    auto words = target();
    words.insert(words.begin(), "doctor");
    const auto text = program(words, nobody).output;
    if (text.find("mirror") == std::string::npos)
        GTEST_SKIP() << "another user may not run the program here: " << text;
    EXPECT_THAT(text, HasSubstr("CAP_SYS_PTRACE"));
    words.insert(words.end(), {"--format", "json"});
    const auto found = row(program(words, nobody).output);
    EXPECT_EQ(found["state"], "unavailable") << found.dump();
    EXPECT_THAT(found["hint"].get<std::string>(), HasSubstr("CAP_SYS_PTRACE"));
}

INSTANTIATE_TEST_SUITE_P(Version, MirrorRecord, every_major(), name_of_major);

} // namespace
} // namespace snapscope::test
