// Each rule of the cached snapshot, left out: what it is for must be caught, and
// with the rule in place the same scenario must be right.

#include "scenario.hpp"

#include <snapscope/base/text.hpp>

#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;

// The prefix of the build with faults, or empty when none is built.
std::filesystem::path faulty_prefix() {
    if (const char* named = std::getenv("SNAPSCOPE_PG_FAULTS_PREFIX"); named != nullptr && *named != '\0')
        return named;
    Command command;
    command.argv = {SNAPSCOPE_SOURCE_DIR "/patched-pg/build/build.sh", "--faults", "--where"};
    const auto built = run_to_end(command, 20s);
    return built && built->status == 0 ? std::filesystem::path(trim(built->output)) : std::filesystem::path{};
}

struct Case {
    std::string mode;
    Scenario scenario;

    friend void PrintTo(const Case& fault, std::ostream* out) { *out << fault.scenario.mutant << " in " << fault.mode; }
};

std::vector<Case> cases_of(const std::vector<Scenario>& scenarios) {
    std::vector<Case> cases;
    for (const auto& scenario : scenarios)
        for (const auto& mode : scenario.modes)
            cases.push_back({mode, scenario});
    return cases;
}

class FaultTest : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        ASSERT_FALSE(faulty_prefix().empty())
            << "no PostgreSQL with faults is built (patched-pg/build/build.sh --faults)";
    }
    // What was found with that rule left out, or with all in place; empty for nothing.
    static std::string found(const std::string& mutant) {
        Stage stage(faulty_prefix(), GetParam().mode, mutant);
        const bool right = GetParam().scenario.run(stage);
        auto complaint = stage.complaint();
        if (complaint.empty() && !right)
            complaint = "a session saw what is not so";
        return complaint;
    }
};

TEST_P(FaultTest, is_caught_and_nothing_is_without_it) {
    EXPECT_EQ(found(""), "");
    const auto caught = found(GetParam().scenario.mutant);
    EXPECT_NE(caught, "") << "with the rule left out, nothing was found";
    RecordProperty("caught", caught);
}

std::string name_of(const testing::TestParamInfo<Case>& test) {
    return test.param.scenario.mutant + "_in_" + test.param.mode;
}

INSTANTIATE_TEST_SUITE_P(Primary, FaultTest, testing::ValuesIn(cases_of(primary_scenarios())), name_of);
INSTANTIATE_TEST_SUITE_P(Horizon, FaultTest, testing::ValuesIn(cases_of(horizon_scenarios())), name_of);
INSTANTIATE_TEST_SUITE_P(Standby, FaultTest, testing::ValuesIn(cases_of(standby_scenarios())), name_of);
INSTANTIATE_TEST_SUITE_P(Race, FaultTest, testing::ValuesIn(cases_of(race_scenarios())), name_of);

} // namespace
} // namespace snapscope::test
