// Runs that are damaged or unfinished, as the verbs that read them see them.
#include "program.hpp"
#include "victim_process.hpp"

#include <nlohmann/json.hpp>

namespace snapscope::test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

class Read : public ProgramTest {
  protected:
    void SetUp() override {
        Victim victim;
        auto running = start({"record", "--pid", std::to_string(victim.pid()), "--source", "ring", "--events",
                              "--interval", "10", "-o", "x.snap"});
        wait_for_file("x.snap/journal.jsonl");
        while (text("x.snap/journal.jsonl").empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        victim.ask("go 1000");
        running.signal(SIGINT);
        const auto outcome = running.finish();
        ASSERT_EQ(outcome.status, 0) << outcome.err;
    }
    void cut(const std::string& name, std::uintmax_t bytes) const {
        fs::resize_file(path(name), fs::file_size(path(name)) - bytes);
    }
    void unfinish(const std::string& run) const {
        auto json = nlohmann::json::parse(text(run + "/run.json"));
        json["finished"] = false;
        put(run + "/run.json", json.dump());
    }
};

TEST_F(Read, DamagedEventsAreSaidAndTheFiguresStand) {
    EXPECT_THAT(run({"show", "x.snap"}).out, Not(HasSubstr("damaged")));
    cut("x.snap/events/ring-00000", 1);
    const auto shown = run({"show", "x.snap"});
    EXPECT_EQ(shown.status, 0) << "what is shown does not come from the events";
    EXPECT_THAT(shown.out, AllOf(HasSubstr("the events are damaged"), HasSubstr("ring-00000 is cut off")));
    const auto exported = run({"export", "x.snap", "--format", "perfetto", "-o", "x.json"});
    EXPECT_EQ(exported.status, 3) << exported.err;
    EXPECT_EQ(run({"trace", "check", "x.json"}).status, 0);
    fs::remove(path("x.snap/events/ring-00000"));
    EXPECT_THAT(run({"show", "x.snap"}).out, HasSubstr("events of ring, which recorded"));
    EXPECT_EQ(run({"export", "x.snap", "--format", "perfetto", "-o", "z.json"}).status, 3);
    fs::remove_all(path("x.snap/events"));
    EXPECT_THAT(run({"show", "x.snap"}).out, HasSubstr("the events are damaged"));
    EXPECT_EQ(run({"export", "x.snap", "--format", "perfetto", "-o", "y.json"}).status, 1);
    EXPECT_FALSE(fs::exists(path("y.json")));
}

TEST_F(Read, ACutRunIsSaidInPlainWords) {
    cut("x.snap/run.json", 40);
    for (const Words& verb : {Words{"show", "x.snap"}, Words{"export", "x.snap", "--format", "perfetto"},
                              Words{"diff", "x.snap", "--against", "x.snap"}, Words{"report", "x.snap"},
                              Words{"report", "x.snap", "--against", "x.snap"}}) {
        const auto outcome = run(verb);
        EXPECT_EQ(outcome.status, 1) << verb[0];
        EXPECT_THAT(outcome.err, HasSubstr("x.snap/run.json is cut off or not JSON (byte ")) << verb[0];
        EXPECT_EQ(lines_in(outcome.err), 1) << verb[0];
        EXPECT_EQ(outcome.out, "") << verb[0];
    }
}

TEST_F(Read, AnUnfinishedRunIsAnAnswerInPart) {
    fs::copy(path("x.snap"), path("y.snap"), fs::copy_options::recursive);
    auto json = nlohmann::json::parse(text("y.snap/run.json"));
    json["id"] = std::string(32, 'a');
    put("y.snap/run.json", json.dump());
    EXPECT_EQ(run({"diff", "x.snap", "--against", "y.snap"}).status, 0);
    unfinish("y.snap");
    const auto compared = run({"diff", "x.snap", "--against", "y.snap"});
    EXPECT_EQ(compared.status, 3);
    EXPECT_THAT(compared.out, HasSubstr("y.snap is unfinished"));
    const auto shown = run({"show", "y.snap"});
    EXPECT_EQ(shown.status, 3);
    EXPECT_THAT(shown.out, HasSubstr("durations come with the end of a recording"));
    EXPECT_EQ(run({"export", "y.snap", "--format", "perfetto", "-o", "y.json"}).status, 3);
    EXPECT_EQ(run({"report", "y.snap", "-o", "y.html"}).status, 3);
    EXPECT_THAT(text("y.html"), HasSubstr("unfinished: it covers"));
    EXPECT_EQ(run({"report", "x.snap", "--against", "y.snap", "-o", "xy.html"}).status, 3);
}

TEST_F(Read, WhatMayNotGrowIsOneLineAndLeavesNothing) {
    for (const Words& verb :
         {Words{"export", "x.snap", "--format", "perfetto", "-o", "out"}, Words{"report", "x.snap", "-o", "out"},
          Words{"diff", "x.snap", "--against", "x.snap", "--format", "json", "-o", "out"}}) {
        const auto outcome = run_limited("-f 0", verb);
        EXPECT_EQ(outcome.status, 1) << verb[0];
        EXPECT_THAT(outcome.err, HasSubstr("cannot write out: File too large")) << verb[0];
        EXPECT_FALSE(fs::exists(path("out"))) << verb[0];
    }
    EXPECT_EQ(names().size(), 1U) << "no temporary file stays";
}

// Every number of the report is one that `show` says, too.
TEST_F(Read, AReportIsOnePrivateFileWithTheNumbersOfShow) {
    const auto outcome = run({"report", "x.snap", "-o", "x.html"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, "");
    EXPECT_EQ(fs::status(path("x.html")).permissions() & fs::perms::all,
              fs::perms::owner_read | fs::perms::owner_write);
    const auto shown = nlohmann::json::parse(run({"show", "x.snap", "--format", "json"}).out);
    const auto page = text("x.html");
    const auto taken = shown.at("snapshots").at("taken").get<std::uint64_t>();
    EXPECT_GT(taken, 0U);
    EXPECT_THAT(page, HasSubstr("<data value=\"" + std::to_string(taken) + "\">"));
    const auto total = shown.at("invalidations").at("total").get<std::uint64_t>();
    EXPECT_THAT(page, HasSubstr("<data value=\"" + std::to_string(total) + "\">"));
    EXPECT_EQ(run({"report", "x.snap"}).out, page) << "standard output holds the same bytes";
}

TEST_F(Read, AReportReplacesNothingUnasked) {
    put("x.html", "mine");
    const auto refused = run({"report", "x.snap", "-o", "x.html"});
    EXPECT_EQ(refused.status, 1);
    EXPECT_THAT(refused.err, HasSubstr("x.html exists; give --force"));
    EXPECT_EQ(text("x.html"), "mine");
    EXPECT_EQ(run({"report", "x.snap", "-o", "x.html", "--force"}).status, 0);
    EXPECT_THAT(text("x.html"), HasSubstr("<!DOCTYPE html>"));
    EXPECT_EQ(run({"report"}).status, 2);
    EXPECT_EQ(run({"report", "x.snap", "-o", ""}).status, 2);
}

TEST_F(Read, AReportOfTablesComparesThem) {
    put("a.csv", "tps\n100\n101\n102\n103\n");
    put("b.csv", "tps\n110\n111\n112\n113\n");
    EXPECT_EQ(run({"report", "a.csv", "--against", "b.csv", "-o", "ab.html"}).status, 0);
    EXPECT_THAT(text("ab.html"), AllOf(HasSubstr("tps: higher (better)"), HasSubstr("stated by csv")));
    EXPECT_EQ(run({"report", "a.csv", "-o", "a.html"}).status, 1) << "a table alone is no run";
}

TEST_F(Read, ACutTraceIsNotJson) {
    ASSERT_EQ(run({"export", "x.snap", "--format", "perfetto", "-o", "x.json"}).status, 0);
    cut("x.json", 10);
    const auto outcome = run({"trace", "check", "x.json"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_THAT(outcome.err, HasSubstr("x.json is not JSON"));
    EXPECT_EQ(lines_in(outcome.err), 1);
}

} // namespace
} // namespace snapscope::test
