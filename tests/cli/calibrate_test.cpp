// `calibrate` as its users run it.  Times are not asserted.
#include "program.hpp"

#include <snapscope/recording/core_latency.hpp>

#include <nlohmann/json.hpp>
#include <sched.h>
#include <sys/stat.h>

namespace snapscope::test {
namespace {

using testing::HasSubstr;

class Calibrate : public ProgramTest {
  protected:
    void SetUp() override {
        cpu_set_t cpus;
        CPU_ZERO(&cpus);
        if (::sched_getaffinity(0, sizeof cpus, &cpus) != 0 || CPU_COUNT(&cpus) < 2)
            GTEST_SKIP() << "needs two CPUs";
        for (first_ = 0; CPU_ISSET(first_, &cpus) == 0;)
            ++first_;
    }
    unsigned int first_ = 0; // CPU that this process may use
};

TEST_F(Calibrate, ItsFileIsAMatrixThatCanBeReadBack) {
    const auto outcome = run({"calibrate", "--pairs", "3", "-o", "cores.json", "--format", "json"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(outcome.out, text("cores.json"));
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["schema_version"], 1);
    EXPECT_EQ(json["origin"], "measured");
    EXPECT_EQ(json["pairs"].size(), std::min<std::size_t>(3, json["pairs_possible"]));
    const auto read = read_core_latencies(path("cores.json"));
    ASSERT_TRUE(read) << read.error().message();
    struct stat file {};
    ASSERT_EQ(::stat(path("cores.json").c_str(), &file), 0);
    EXPECT_EQ(file.st_mode & 0777U, 0600U);

    const auto again = run({"calibrate", "--pairs", "1", "-o", "cores.json"});
    EXPECT_EQ(again.status, 1);
    EXPECT_THAT(again.err, HasSubstr("--force"));
    EXPECT_EQ(text("cores.json"), outcome.out);
    EXPECT_EQ(run({"calibrate", "--pairs", "1", "-o", "cores.json", "--force"}).status, 0);
}

TEST_F(Calibrate, AsTextItSaysWhatALoadCannotTell) {
    const auto outcome = run({"calibrate", "--pairs", "1"});
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, testing::AnyOf(HasSubstr("one way"), HasSubstr("too busy")));
    EXPECT_THAT(outcome.out, testing::AnyOf(HasSubstr("never proves that another core had modified the line"),
                                            HasSubstr("no threshold"), HasSubstr("cannot be timed")));
    const auto table = run({"calibrate", "--pairs", "1", "--format", "csv"});
    EXPECT_EQ(lines_in(table.out), 2) << table.out;
}

TEST_F(Calibrate, OnOneCpuNothingCanBeMeasured) {
    cpu_set_t all;
    ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(first_, &one);
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0); // inherited by the program
    const auto outcome = run({"calibrate", "-o", "cores.json"});
    ::sched_setaffinity(0, sizeof all, &all);
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("nothing can be measured"));
    EXPECT_EQ(outcome.out, "");
    EXPECT_THAT(names(), testing::IsEmpty());
}

} // namespace
} // namespace snapscope::test
