// The real perf and pcm on this machine: where it has no PMU, both sources say
// so in the tools' own words, and the rest of the run is whole.
#include "hardware_run.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <tool_child.hpp>

namespace snapscope::test {
namespace {

using testing::HasSubstr;

class Here : public HardwareRun {
  protected:
    // What the tool itself complains of, where it complains.
    static std::optional<std::string> complaint(const std::string& tool, std::vector<std::string> arguments) {
        const auto path = find_tool(tool, tool);
        if (!path)
            return "there is no program " + tool;
        arguments.insert(arguments.begin(), *path);
        const auto answer = ask_tool(std::move(arguments));
        if (!answer || answer->status == 0)
            return std::nullopt;
        return own_words(answer->errors);
    }
    void SetUp() override {
        HardwareRun::SetUp();
        if (IsSkipped())
            return;
        perf_ = complaint("perf", {"mem", "record", "-v", "-e", "list"});
        pcm_ = complaint("pcm", {"1", "-csv", "-i=1"});
        if (!perf_ || !pcm_)
            GTEST_SKIP() << "this machine has memory events or counters that pcm can use";
    }
    [[nodiscard]] Finished run_here(std::vector<std::string> words) const {
        auto how = command(std::move(words));
        how.environment.clear(); // no replay
        return run_to_end(how, std::chrono::seconds(120)).value();
    }

    std::optional<std::string> perf_, pcm_;
};

TEST_P(Here, DoctorSaysWhyThereIsNone) {
    const auto doctor = run_here({"doctor", "--pid", std::to_string(cluster().pid()), "--format", "json"});
    const auto json = nlohmann::json::parse(doctor.output.substr(doctor.output.find('{')));
    for (const auto& row : json["sources"]) {
        if (row["name"] != "hitm" && row["name"] != "pcm")
            continue;
        EXPECT_EQ(row["state"], "unavailable");
        EXPECT_THAT(row["reason"].get<std::string>(), HasSubstr(row["name"] == "hitm" ? *perf_ : *pcm_));
        EXPECT_NE(row["hint"], "");
    }
}

TEST_P(Here, TheRestOfARecordingIsWhole) {
    put("unused", "");
    auto how = command({"record", "--pid", std::to_string(cluster().pid()), "--source", "hitm,pcm,sql", "-o", "x.snap",
                        "--", "/bin/true"});
    how.environment.clear();
    const auto finished = run_to_end(how, std::chrono::seconds(120)).value();
    EXPECT_EQ(finished.status, 3) << finished.output;
    const auto show = run_here({"show", "x.snap", "--format", "json"});
    const auto json = nlohmann::json::parse(show.output.substr(show.output.find('{')));
    for (const auto& row : json["sources"]) {
        const std::string name = row["name"];
        const std::string reason = row.value("reason", "");
        EXPECT_EQ(row["state"], name == "sql" ? "active" : "unavailable") << name;
        if (name != "sql") {
            EXPECT_THAT(reason, HasSubstr(name == "hitm" ? *perf_ : *pcm_));
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Servers, Here, testing::Values("patched"), name_of_server);

} // namespace
} // namespace snapscope::test
