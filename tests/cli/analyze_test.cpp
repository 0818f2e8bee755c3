// Sweeps, imports and gates, as users run them.
#include "program.hpp"

#include <snapscope/recording/sweep.hpp>

#include <nlohmann/json.hpp>

namespace snapscope::test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* cases = SNAPSCOPE_SOURCE_DIR "/tests/cases/";

class Analyze : public ProgramTest {};

TEST_F(Analyze, TheFoundingTableInEveryFormat) {
    const std::string table = std::string(cases) + "seed-max-connections.csv";
    const auto text = run({"analyze", table});
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, StartsWith("tps is not monotonic in max_connections: 2 high regions (200-250, 600-850)"));
    EXPECT_THAT(text.out, HasSubstr("not shown:"));
    const auto json = nlohmann::json::parse(run({"analyze", table, "--format", "json"}).out);
    EXPECT_EQ(json["shape"]["monotonic"], false);
    EXPECT_THAT(run({"analyze", table, "--format", "csv"}).out, HasSubstr("700,,1,1237271"));
    EXPECT_THAT(run({"analyze", table, "--format", "markdown"}).out, HasSubstr("| 700 |"));
    EXPECT_EQ(run({"analyze", "none.csv"}).status, 1);
}

TEST_F(Analyze, ASweepFolderWithAFailedPointAndOneNotReached) {
    for (const char* number : {"1", "2"}) {
        put("load.txt", std::string("number of clients: 8\nnumber of transactions actually processed: 10\ntps = ") +
                            number + "000.5 (without initial connection time)\n");
        ASSERT_EQ(run({"import", "pgbench", "load.txt", "-o", std::string("p") + number + ".snap"}).status, 0);
    }
    std::filesystem::create_directory(path("n.sweep"));
    for (const char* name : {"p1.snap", "p2.snap"})
        std::filesystem::rename(path(name), path("n.sweep") / name);
    SweepFile sweep;
    sweep.id = std::string(32, 'b');
    sweep.x = "max_connections";
    sweep.wall_start = "2024-05-01T12:00:00Z";
    sweep.points = {{200, "off", 1, 0, {}, PointState::done, "p1.snap", "", {}, {}},
                    {400, "off", 1, 1, {}, PointState::done, "p2.snap", "", {}, {}},
                    {700, "off", 1, 2, {}, PointState::failed, std::nullopt, "too many clients already", {}, {}},
                    {1000, "off", 1, 3, {}, PointState::planned, std::nullopt, "", {}, {}}};
    ASSERT_TRUE(write_sweep_file(path("n.sweep"), sweep));
    const auto outcome = run({"analyze", "n.sweep", "--format", "json"});
    EXPECT_EQ(outcome.status, 3) << "a point was not reached";
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["points"][1]["tps"]["median"], 2000.5);
    EXPECT_EQ(json["points"][1]["mode"], "off");
    EXPECT_TRUE(json["points"][2]["tps"].is_null());
    EXPECT_THAT(json["points"][2]["failed"][0]["reason"].get<std::string>(), HasSubstr("too many clients"));
    std::filesystem::remove_all(path("n.sweep/p2.snap"));
    EXPECT_THAT(run({"analyze", "n.sweep"}).out, HasSubstr("p2.snap failed"));
}

TEST_F(Analyze, ImportedRunsAreShown) {
    const std::string links = std::string(cases) + "h06-upi-pingpong-links.csv";
    EXPECT_EQ(run({"import", "pcm", links, "-o", "l.snap"}).status, 3) << "one row is missing";
    const auto shown = run({"show", "l.snap"});
    EXPECT_EQ(shown.status, 0);
    EXPECT_THAT(shown.out, HasSubstr("read 0 throughout"));
    EXPECT_EQ(run({"import", "pcm", links, "-o", "l.snap"}).status, 1) << "nothing is overwritten";
    EXPECT_EQ(run({"import", "vtune", links, "-o", "m.snap"}).status, 2);
    EXPECT_EQ(run({"import", "c2c", links, "-o", "m.snap"}).status, 1);
    EXPECT_FALSE(std::filesystem::exists(path("m.snap")));
}

TEST_F(Analyze, TheGateTakesAMetric) {
    put("a.csv", "tps,latency_ms\n100,1\n101,1.01\n102,1.02\n103,1.03\n104,1.04\n105,1.05\n");
    put("b.csv", "tps,latency_ms\n100,2\n101,2.01\n102,2.02\n103,2.03\n104,2.04\n105,2.05\n");
    EXPECT_EQ(run({"diff", "a.csv", "--against", "b.csv"}).status, 0);
    EXPECT_EQ(run({"diff", "--fail-on-regression", "a.csv", "--against", "b.csv"}).status, 4);
    EXPECT_EQ(run({"diff", "a.csv", "--against", "b.csv", "--fail-on-regression=latency_ms"}).status, 4);
    EXPECT_EQ(run({"diff", "a.csv", "--against", "b.csv", "--fail-on-regression=tps"}).status, 0);
    EXPECT_EQ(run({"diff", "a.csv", "--against", "b.csv", "--fail-on-regression=speed"}).status, 2);
    EXPECT_EQ(run({"diff", "a.csv", "--against", "b.csv", "--fail-on-regression", "--floor", "b.csv"}).status, 0)
        << "as far apart as A/A runs were";
}

} // namespace
} // namespace snapscope::test
