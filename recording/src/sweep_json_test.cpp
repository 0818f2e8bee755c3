#include "test_folder.hpp"

#include <snapscope/recording/sweep.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using nlohmann::json;
using testing::HasSubstr;

SweepFile sample() {
    SweepFile out;
    out.id = "0123456789abcdef0123456789abcdef";
    out.tool_version = "0.1.0";
    out.x = "max_connections";
    out.seed = 0xffff'ffff'ffff'ffff;
    out.load = "pgbench -S -c 8";
    out.wall_start = "2024-05-01T12:00:00Z";
    out.points = {
        {200, "off", 1, 2, {{"idle", "100"}}, PointState::done, "200-off-1.snap", "", 3, 1234.5},
        {200, "off", 2, 0, {{"idle", "100"}}, PointState::failed, std::nullopt, "the server did not start", {}, {}},
        {400, "off", 1, 1, {}, PointState::planned, std::nullopt, "", {}, {}}};
    out.warnings = {"interrupted once"};
    return out;
}

TEST(SweepJson, WhatIsWrittenIsReadAsTheSame) {
    const json written = sweep_to_json(sample());
    const auto read = sweep_from_json(written);
    ASSERT_TRUE(read) << read.error().what;
    EXPECT_EQ(sweep_to_json(*read), written);
    EXPECT_EQ(read->points[1].reason, "the server did not start");
    EXPECT_FALSE(read->points[2].run);
    EXPECT_EQ(read->points[0].steady_tps, 1234.5);
    EXPECT_EQ(read->points[1].warm_up_s, std::nullopt);
}

class SweepFolder : public FolderTest {};

TEST_F(SweepFolder, IsReplacedAsAWhole) {
    ASSERT_TRUE(write_sweep_file(folder, sample()));
    EXPECT_EQ(read_sweep_file(folder)->points.size(), 3U);
    SweepFile wrong = sample();
    wrong.points[0].run.reset();
    EXPECT_THAT(write_sweep_file(folder, wrong).error().what, HasSubstr("nobody could read: /points/0/run"));
    EXPECT_THAT(read_sweep_file(folder / "none").error().message(), HasSubstr("give a sweep folder"));
}

TEST(SweepJson, EveryFieldIsNeededAndTyped) {
    const json whole = sweep_to_json(sample());
    for (const auto& [key, value] : whole.items()) {
        for (const json& wrong : {json(), json("\x01"), json(1.5), json::array({1}), json::object()}) {
            json damaged = whole;
            damaged[key] = wrong;
            if (wrong.is_string() && (key == "load"))
                continue; // any text is a load
            EXPECT_FALSE(sweep_from_json(damaged)) << key << " = " << wrong;
        }
        json missing = whole;
        missing.erase(key);
        EXPECT_FALSE(sweep_from_json(missing)) << key;
    }
    for (const auto& [key, value] : whole["points"][0].items()) {
        if (key == "warm_up_s" || key == "steady_tps")
            continue; // of a later version than the others
        json missing = whole;
        missing["points"][0].erase(key);
        const auto read = sweep_from_json(missing);
        ASSERT_FALSE(read) << key;
        EXPECT_THAT(read.error().what, HasSubstr("/points/0/" + key));
    }
}

TEST(SweepJson, AStateAgreesWithItsFields) {
    const auto with = [](std::size_t point, const char* key, const json& value) {
        json out = sweep_to_json(sample());
        out["points"][point][key] = value;
        return out;
    };
    EXPECT_FALSE(sweep_from_json(with(0, "run", "../x.snap")));
    EXPECT_FALSE(sweep_from_json(with(0, "run", ".snap")));
    EXPECT_FALSE(sweep_from_json(with(0, "reason", "why")));
    EXPECT_FALSE(sweep_from_json(with(1, "reason", "")));
    EXPECT_FALSE(sweep_from_json(with(2, "state", "done")));
    EXPECT_FALSE(sweep_from_json(with(2, "state", "perhaps")));
    EXPECT_FALSE(sweep_from_json(with(2, "order", 0)));
    EXPECT_FALSE(sweep_from_json(with(1, "repeat", 1))) << "the same point twice";
}

} // namespace
} // namespace snapscope
