// Published sweeps, with the answers that they have.
#include "case_file.hpp"

#include <snapscope/analyzer/analysis.hpp>

#include <cmath>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace snapscope {
namespace {

using test::case_file;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

Analysis analysis(const std::string& text) {
    auto sweep = sweep_from_csv(text, "x.csv");
    EXPECT_TRUE(sweep) << sweep.error().message();
    auto out = analyze(sweep.value());
    EXPECT_TRUE(out) << out.error().message();
    return out ? std::move(*out) : Analysis{};
}

std::string fmt_region(const Region& region) {
    return std::to_string(std::lround(region.from)) + "-" + std::to_string(std::lround(region.to)) + " " + region.level;
}

const CurveAnalysis& curve(const Analysis& all, const std::string& name) {
    for (const CurveAnalysis& one : all.curves)
        if (one.curve.name() == name)
            return one;
    ADD_FAILURE() << "no curve " << name;
    return all.curves.front();
}

TEST(Analysis, TheFoundingTableHasRegionsAndNoLineAndNoShownCause) {
    for (const std::string& text : test::same_tables(case_file("seed-max-connections.csv"))) {
        const Analysis found = analysis(text);
        const Shape& shape = found.curves.front().shape;
        EXPECT_FALSE(shape.monotonic);
        EXPECT_EQ(shape.form, Form::regions);
        ASSERT_EQ(shape.regions.size(), 5U);
        std::vector<std::string> regions;
        for (const Region& r : shape.regions)
            regions.push_back(fmt_region(r));
        EXPECT_THAT(regions,
                    ElementsAre("200-250 high", "300-450 low", "500-550 middle", "600-850 high", "900-1000 low"));
        EXPECT_NEAR(shape.swing, 1.908, 0.001);
        EXPECT_EQ(shape.lowest_tps, 648398);
        EXPECT_EQ(shape.highest_tps, 1237271);
        EXPECT_FALSE(shape.line_describes);
        EXPECT_THAT(found.finding, HasSubstr("not monotonic"));
        EXPECT_THAT(found.finding, HasSubstr("2 high regions (200-250, 600-850), 2 low regions (300-450, 900-1000)"));
        EXPECT_THAT(found.finding, HasSubstr("1.91x"));
        EXPECT_THAT(found.finding, HasSubstr("no straight line describes it"));
        EXPECT_THAT(found.finding, HasSubstr("The cause is not shown"));
        EXPECT_THAT(found.not_shown, Contains(HasSubstr("no transfers were measured")));
        EXPECT_THAT(found.not_shown, Contains(HasSubstr("snapshot_layout_pad")));
        EXPECT_THAT(found.not_shown, Contains(HasSubstr("or from restarts")));
    }
}

TEST(Analysis, ASplitOfFieldsIsComparedByClientsWithItsCrossover) {
    const Analysis found = analysis(case_file("h02-pgproc-split-sweep.csv"));
    ASSERT_EQ(found.comparisons.size(), 1U);
    const CurveComparison& c = found.comparisons.front();
    const std::vector<double> expected{-3.52, 2.65, 41.22, 43.29, 47.70, 48.58};
    ASSERT_EQ(c.points.size(), expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        EXPECT_NEAR(c.points[i].change.change_percent.value(), expected[i], 0.005);
        EXPECT_EQ(c.points[i].change.verdict, Verdict::too_few_runs);
    }
    ASSERT_EQ(c.crossovers.size(), 1U);
    EXPECT_EQ(c.crossovers[0].low, 1);
    EXPECT_EQ(c.crossovers[0].high, 4);
    const Shape& before = curve(found, "variant before").shape;
    EXPECT_EQ(before.highest_x, 32);
    EXPECT_NEAR(before.fall_from_peak_percent, -12.2, 0.05);
    EXPECT_THAT(found.finding, HasSubstr("the two cross between 1 and 4 clients"));
    EXPECT_THAT(found.finding, HasSubstr("without repeats none of these is proven"));
}

TEST(Analysis, ColdFirstRunsAreLeftOutAndSaid) {
    const Analysis found = analysis(case_file("h04-select-only-cold-first-run.csv"));
    const std::vector<std::pair<int, double>> peaks{{2, 10}, {4, 50}, {8, 50}, {16, 100}, {32, 100}};
    ASSERT_EQ(found.curves.size(), peaks.size());
    for (std::size_t i = 0; i < peaks.size(); ++i) {
        const CurveAnalysis& one = found.curves[i];
        EXPECT_EQ(one.shape.highest_x, peaks[i].second) << one.curve.name();
        const CurvePoint& ten = one.curve.points.front();
        ASSERT_EQ(ten.cold.size(), 1U) << one.curve.name();
        const double share = ten.cold.front() / *ten.level();
        EXPECT_GE(share, 0.285);
        EXPECT_LE(share, 0.355);
        for (std::size_t p = 1; p < one.curve.points.size(); ++p)
            EXPECT_TRUE(one.curve.points[p].cold.empty());
    }
    EXPECT_THAT(found.warnings, Contains(HasSubstr("the first run is cold")));
}

TEST(Analysis, EqualNeighboursBeforeAJumpAreSuspicious) {
    const Analysis found = analysis(case_file("h17-c5d-metal-readonly-sweep.csv"));
    const Shape& small = curve(found, "series s1000-later").shape;
    EXPECT_EQ(small.highest_x, 64);
    EXPECT_NEAR(small.fall_from_peak_percent, -9.3, 0.05);
    EXPECT_FALSE(small.peak_at_end);
    const Shape& large = curve(found, "series s5000-later").shape;
    EXPECT_EQ(large.highest_x, 512);
    EXPECT_TRUE(large.peak_at_end);
    EXPECT_TRUE(large.monotonic);
    EXPECT_THAT(found.warnings, Contains(HasSubstr("x 4 and 8 hold exactly the same tps (91535), then x3.8 at 16")));
    EXPECT_THAT(found.not_shown, Contains(HasSubstr("measure beyond 512")));
}

TEST(Analysis, ReconnectingCostsAndIsNotCompared) {
    const Analysis found = analysis(case_file("h26-reconnect-matrix.csv"));
    ASSERT_EQ(found.comparisons.size(), 2U); // one a factor
    for (const CurveComparison& c : found.comparisons) {
        EXPECT_EQ(c.key, "reconnect");
        EXPECT_EQ(c.base, "0");
        for (const ComparedPoint& point : c.points) {
            EXPECT_LE(*point.change.change_percent, -76.5);
            EXPECT_GE(*point.change.change_percent, -93.5);
        }
    }
    EXPECT_THAT(found.finding, HasSubstr("different quantities"));
}

TEST(Analysis, AFailedPointKeepsItsReasonAndTheOthersStay) {
    const Analysis found =
        analysis("clients,tps,reason\n100,5000,\n400,7000,\n700,,\"FATAL:  sorry, too many clients already\"\n");
    EXPECT_FALSE(found.curves[0].curve.points[2].level());
    EXPECT_EQ(found.curves[0].curve.measured().size(), 2U);
    EXPECT_THAT(found.warnings, Contains(HasSubstr("too many clients already")));
    EXPECT_THAT(found.not_shown, Contains(HasSubstr("tps at clients 700: the point failed")));
    const auto json = to_json(found);
    EXPECT_TRUE(json["points"][2]["tps"].is_null());
    EXPECT_EQ(json["points"][2]["state"], "failed");
    EXPECT_FALSE(analyze(sweep_from_csv("clients,tps\n1,\n", "x").value()));
}

TEST(Analysis, LittlesLawAndWaitingAreSaid) {
    const Analysis right = analysis("clients,tps,latency_ms,cpu_util_pct\n200,499.39,400.487,20\n");
    EXPECT_THAT(right.warnings, Not(Contains(HasSubstr("clients / latency"))));
    EXPECT_THAT(right.finding, HasSubstr("20 % busy: most of the time is waiting, not transfers"));
    const Analysis wrong = analysis("clients,tps,latency_ms\n200,520,400.487\n");
    EXPECT_THAT(wrong.warnings, Contains(HasSubstr("clients / latency")));
}

// A table with repeats: tps by x and mode, with restart noise.
std::string table(double swing_off, double swing_copy, double noise, int repeats, unsigned seed) {
    std::mt19937 random(seed); // NOLINT(cert-msc51-cpp)
    std::normal_distribution<double> normal;
    std::string out = "max_connections,mode,repeat,tps,hitm_per_transaction,latency_ms\n";
    for (const char* mode : {"off", "copy"})
        for (int x = 200; x <= 1000; x += 100)
            for (int repeat = 1; repeat <= repeats; ++repeat) {
                const bool low = (x / 100) % 4 < 2;
                const double swing = std::string(mode) == "off" ? swing_off : swing_copy;
                const double tps = 1e5 * (low ? 1 : swing) * std::exp(noise * normal(random));
                out += std::to_string(x) + "," + mode + "," + std::to_string(repeat) + "," + std::to_string(tps) + "," +
                       std::to_string((low ? 20.0 : 10.0) + normal(random)) + "," + std::to_string(8000 / tps) + "\n";
            }
    return out;
}

TEST(Analysis, ASwingThatGoesAwayWithTheCacheIsProcArrayTraffic) {
    const Analysis found = analysis(table(1.6, 1.0, 0.02, 5, 1));
    ASSERT_EQ(found.natural.size(), 1U);
    EXPECT_TRUE(found.natural[0].cache_removes_swing) << found.natural[0].words;
    EXPECT_LT(found.natural[0].interaction_p.value(), 0.001);
    EXPECT_LT(curve(found, "mode off").variance->p_value, 0.001);
    const Analysis stays = analysis(table(1.6, 1.6, 0.02, 5, 2));
    EXPECT_FALSE(stays.natural[0].cache_removes_swing);
    EXPECT_THAT(stays.natural[0].words, HasSubstr("not shown to"));
    const Analysis noise = analysis(table(1.0, 1.0, 0.02, 5, 3));
    EXPECT_THAT(noise.natural[0].words, HasSubstr("no larger than restarts make"));
    EXPECT_EQ(curve(noise, "mode off").shape.form, Form::flat);
}

// tps of a small machine does not move, what a snapshot costs does.
TEST(Analysis, ACostThatGrowsUnderAFlatTpsIsToldAndTransfersAreNot) {
    std::string text = "max_connections,mode,repeat,tps,snapshot_ns\n";
    for (const int x : {200, 400, 700, 1000})
        for (const char* mode : {"off", "copy"})
            for (int repeat = 1; repeat <= 5; ++repeat) {
                const int jitter = (7 * repeat + x / 100) % 5;
                const int ns = mode == std::string("off") ? 50 + x / 5 + jitter : 40 + jitter;
                text += std::to_string(x) + "," + mode + "," + std::to_string(repeat) + "," +
                        std::to_string(50000 + 300 * jitter) + "," + std::to_string(ns) + "\n";
            }
    const Analysis found = analysis(text);
    EXPECT_THAT(found.finding, HasSubstr("mode off: snapshot_ns is higher by +"));
    EXPECT_THAT(found.finding, HasSubstr("mode copy: snapshot_ns is not shown to change"));
    EXPECT_THAT(found.not_shown, Contains(HasSubstr("no transfers were measured here")));
}

TEST(Analysis, AnAssociationIsNamedAndIsNoCause) {
    const Analysis found = analysis(table(1.6, 1.0, 0.02, 5, 4));
    bool hitm = false;
    for (const Association& one : found.associations) {
        if (one.metric == "latency_ms") {
            EXPECT_FALSE(one.shown());
            if (one.group == "mode off") {
                EXPECT_THAT(one.by_construction, HasSubstr("Little"));
            }
        }
        hitm = hitm || (one.metric == "hitm_per_transaction" && one.group == "mode off" && one.correlation.rho < -0.5);
    }
    EXPECT_TRUE(hitm);
    EXPECT_THAT(found.finding, Not(HasSubstr("causes")));
}

TEST(Analysis, TheJsonHasTheContractsNames) {
    const auto json = to_json(analysis(case_file("seed-max-connections.csv")));
    EXPECT_EQ(json["schema_version"], 1);
    EXPECT_EQ(json["x"], "max_connections");
    EXPECT_EQ(json["points"].size(), 17U);
    EXPECT_EQ(json["points"][0]["x"], 200);
    EXPECT_TRUE(json["points"][0]["mode"].is_null());
    EXPECT_EQ(json["points"][0]["n"], 1);
    EXPECT_EQ(json["points"][0]["tps"]["median"], 1092043);
    EXPECT_EQ(json["shape"]["monotonic"], false);
    EXPECT_EQ(json["shape"]["regions"][0]["level"], "high");
    EXPECT_NEAR(json["shape"]["swing"].get<double>(), 1.908, 0.001);
    EXPECT_TRUE(json["associations"].is_array());
    EXPECT_TRUE(json["finding"].is_string());
    EXPECT_TRUE(json["not_shown"].is_array());
}

} // namespace
} // namespace snapscope
