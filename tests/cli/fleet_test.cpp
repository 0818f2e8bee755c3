// fleet and export --format parquet, as their users run them.
#include "program.hpp"
#include "sample_run.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <nlohmann/json.hpp>

namespace snapscope::test {
namespace {

using testing::HasSubstr;

class Fleet : public ProgramTest {
  protected:
    void SetUp() override {
        if (const auto asked = run({"fleet", "ingest", "probe", "none.snap"}); asked.status == 3)
            GTEST_SKIP() << asked.err;
        std::filesystem::remove_all(path("probe"));
    }
    void put_run(const std::string& name, const std::string& host, bool finished = true) const {
        snapscope::Run run = full_sample_run();
        run.id = *make_run_id();
        run.host.name = host;
        run.finished = true;
        auto writer = RunFolderWriter::create(path(name), run, false);
        ASSERT_TRUE(writer) << writer.error().message();
        if (finished) {
            ASSERT_TRUE(writer->finish(run));
        }
    }
    void refused(const Words& words, int status, const std::string& why) const {
        const auto outcome = run(words);
        EXPECT_EQ(outcome.status, status) << command_line(words) << "\n" << outcome.err;
        EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(why)) << command_line(words);
    }
};

TEST_F(Fleet, IngestsWhatItCanAndSaysWhatNot) {
    put_run("a.snap", "one");
    put_run("b.snap", "it's <two>");
    put_run("cut.snap", "three", false);
    const auto outcome = run({"fleet", "ingest", "lake", "a.snap", "b.snap", "cut.snap", "none.snap"});
    EXPECT_EQ(outcome.status, 3) << outcome.err;
    EXPECT_EQ(outcome.out, "2 runs added, 0 were there already, 2 failed\n");
    EXPECT_EQ(lines_in(outcome.err), 2) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("cut.snap is unfinished"));
    EXPECT_EQ(run({"fleet", "ingest", "lake", "a.snap"}).out, "0 runs added, 1 were there already, 0 failed\n");

    const auto rows =
        run({"fleet", "query", "lake", "SELECT host, lost, clients FROM runs ORDER BY host DESC", "--format", "json"});
    EXPECT_EQ(rows.status, 0) << rows.err;
    const auto json = nlohmann::json::parse(rows.out, nullptr, false);
    ASSERT_EQ(json["rows"].size(), 2u) << rows.out;
    EXPECT_EQ(json["rows"][0]["host"], "one");
    EXPECT_EQ(json["rows"][1]["host"], "it's <two>");
    EXPECT_TRUE(json["rows"][0]["lost"].is_number()) << rows.out;
}

TEST_F(Fleet, AnExportIsAnIngestOfOne) {
    put_run("a.snap", "one");
    EXPECT_EQ(run({"export", "a.snap", "--format", "parquet", "-o", "lake"}).status, 0);
    const auto again = run({"export", "a.snap", "--format", "parquet", "-o", "lake"});
    EXPECT_EQ(again.status, 0);
    EXPECT_THAT(again.err, HasSubstr("has this run already"));
    EXPECT_EQ(run({"fleet", "query", "lake", "SELECT count(*) AS n FROM runs", "--format", "csv"}).out, "n\n1\n");
    refused({"export", "a.snap", "--format", "parquet"}, 2, "needs a folder");
}

TEST_F(Fleet, WrongThingsAreRefusedInOneLine) {
    put_run("a.snap", "one");
    put("letter/dear.txt", "");
    std::filesystem::create_directory(path("folder"));
    put("folder/dear.txt", "x");
    put("file", "x");
    refused({"fleet", "query", "nowhere", "SELECT 1"}, 1, "there is no lake at nowhere");
    refused({"fleet", "trend", "folder"}, 1, "folder is no lake");
    refused({"fleet", "ingest", "folder", "a.snap"}, 1, "is not empty and no lake");
    refused({"fleet", "ingest", "file", "a.snap"}, 1, "is no folder");
    refused({"fleet", "ingest", "lake", "a.snap", "--duckdb", "file"}, 1, "cannot load DuckDB's library");
    EXPECT_FALSE(std::filesystem::exists(path("lake"))) << "without DuckDB nothing is left behind";
    ASSERT_EQ(run({"fleet", "ingest", "lake", "a.snap"}).status, 0);
    refused({"fleet", "query", "lake", "DROP VIEW runs"}, 2, "no single query");
    refused({"fleet", "query", "lake", ""}, 2, "no single query");
    refused({"fleet", "query", "lake", "SELECT nothing FROM runs"}, 1, "nothing");
    refused({"fleet", "trend", "lake", "--metric", "no_such"}, 1, "has the metric 'no_such'");
    put("lake/lake.json", "{\"schema_version\": 99}");
    refused({"fleet", "query", "lake", "SELECT 1"}, 1, "schema_version 99");
}

TEST_F(Fleet, AnswersInEveryForm) {
    put_run("a.snap", "one");
    ASSERT_EQ(run({"fleet", "ingest", "lake", "a.snap"}).status, 0);
    for (const char* format : {"text", "json", "csv", "markdown"}) {
        EXPECT_EQ(run({"fleet", "outliers", "lake", "--format", format}).status, 0) << format;
        EXPECT_EQ(run({"fleet", "trend", "lake", "--metric", "tps", "--format", format}).status, 0) << format;
        EXPECT_EQ(run({"fleet", "query", "lake", "SELECT * FROM windows", "--format", format}).status, 0) << format;
    }
    EXPECT_THAT(run({"fleet", "trend", "lake", "--metric", "tps"}).out, HasSubstr("were not judged"));
    EXPECT_EQ(run({"fleet", "compact", "lake"}).status, 0);
}

} // namespace
} // namespace snapscope::test
