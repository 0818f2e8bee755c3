#include "assets.hpp"
#include "report_samples.hpp"
#include "test_page.hpp"

#include <snapscope/analyzer/summary.hpp>
#include <snapscope/analyzer/words.hpp>
#include <snapscope/base/numbers.hpp>
#include <snapscope/dashboards/report.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using test::markup_of;

std::string page_of(Run run) {
    return report_runs({{"busy.snap", std::move(run)}}, "snapscope test");
}

TEST(RunReport, EveryElementIsClosed) {
    for (const auto& run : {samples::rich_run(), samples::empty_run(), samples::hostile_run()})
        EXPECT_EQ(test::unbalanced(markup_of(page_of(run))), "");
    EXPECT_EQ(test::unbalanced("<p><b></p>"), "/p") << "the check itself";
    EXPECT_EQ(test::unbalanced("<p class=\"a\"><b/></p>"), "");
}

TEST(RunReport, ItNeedsNothingBesideItself) {
    const std::string page = page_of(samples::rich_run());
    EXPECT_TRUE(test::holds(page, "default-src &#39;none&#39;"));
    EXPECT_TRUE(test::holds(page, std::string(assets::script_hash)));
    EXPECT_TRUE(test::holds(page, std::string(assets::style_hash)));
    const std::string markup = markup_of(page);
    for (const char* outside : {" src=", "<link", "<iframe", "<img", "<object", "url(", " style=", " onclick="})
        EXPECT_FALSE(test::holds(markup, outside));
    EXPECT_FALSE(test::holds(std::string(assets::style), "url("));
    EXPECT_FALSE(test::holds(std::string(assets::style), "@import"));
}

// The limit of the contract: what every report carries, whatever it shows.
TEST(RunReport, UnderAHundredAndFiftyKilobytesWithoutData) {
    EXPECT_LT(page_of(samples::empty_run()).size(), 150'000U);
    EXPECT_GT(assets::script.size(), 10'000U) << "the script is there";
}

TEST(RunReport, TheNumbersAreThoseOfShow) {
    const auto run = samples::rich_run();
    const Summary summary = summarize(run);
    const std::string page = page_of(run);
    EXPECT_TRUE(test::holds(page, finding(summary)));
    EXPECT_TRUE(test::holds(page, fmt::format("<data value=\"{}\">", *summary.snapshots.taken)));
    EXPECT_TRUE(test::holds(page, fmt::format("<data value=\"{}\">", summary.tps->value)));
    EXPECT_TRUE(test::holds(page, fmt::format("<data value=\"{}\">", summary.duration.p99->high)));
    EXPECT_TRUE(test::holds(page, grouped(*summary.invalidations.total)));
    for (const NamedCount& reason : summary.invalidations.by_reason)
        EXPECT_TRUE(test::holds(page, grouped(reason.count))) << reason.name;
    for (const Total& total : run.totals) {
        const std::string text = total.value ? std::to_string(*total.value) : "cannot tell";
        EXPECT_TRUE(test::holds(page, "<bdi>" + text + "</bdi>")) << total.name;
    }
}

TEST(RunReport, EveryKindOfEvidenceHasItsShapeAndItsWord) {
    const std::string page = page_of(samples::rich_run());
    for (const char* kind : {"counted", "sampled", "measured", "inferred", "emulated", "modelled"}) {
        EXPECT_TRUE(test::holds(page, fmt::format("<symbol id=\"kind-{}\"", kind)));
        EXPECT_TRUE(test::holds(page, fmt::format("<use href=\"#kind-{}\"/></svg>{}", kind, kind))) << "in the legend";
        EXPECT_TRUE(test::holds(page, std::string(kind) + " by ")) << "beside a number";
    }
    EXPECT_TRUE(test::holds(page, "class=\"swatch s2 modelled\"")) << "and in the lines of charts";
}

TEST(RunReport, WhatCouldNotBeHadIsACellWithReasonAndHint) {
    const std::string page = page_of(samples::empty_run());
    for (const char* text : {"unavailable", "this server has no rings", "use the patched server", "no CAP_BPF",
                             "run as root, or setcap cap_bpf+ep", "no hardware PMU in this VM", "HITM needs bare metal",
                             "snapscope record --source mirror", "snapscope record --source sched"})
        EXPECT_TRUE(test::holds(page, text)) << text;
    const std::string markup = markup_of(page);
    EXPECT_FALSE(test::holds(markup, "data-view")) << "no empty chart";
    EXPECT_FALSE(test::holds(markup, "<data")) << "no number";
}

TEST(RunReport, WhoHoldsTheHorizonIsNamed) {
    EXPECT_TRUE(test::holds(page_of(samples::rich_run()),
                            "Slot 48 (<bdi>pid 4048, client backend</bdi>) held it back in 33.3 % of all looks"));
}

TEST(RunReport, LossesAreThere) {
    const std::string page = page_of(samples::rich_run());
    EXPECT_TRUE(test::holds(page, "ring full 1 234"));
    EXPECT_TRUE(test::holds(page, "source ring lost 1234 records"));
}

TEST(RunReport, HostileNamesAreText) {
    const std::string page = page_of(samples::hostile_run());
    const std::string markup = markup_of(page);
    EXPECT_FALSE(test::holds(markup, "<img"));
    EXPECT_FALSE(test::holds(markup, "\"onmouseover"));
    EXPECT_FALSE(test::holds(markup, "\xe2\x80\xae"));
    EXPECT_TRUE(test::holds(markup, "&lt;script&gt;window.hacked=1&lt;/script&gt;"));
    EXPECT_TRUE(test::holds(markup, "\xf0\x9f\x90\x98 elephant"));
    // Three script elements: the views, the arrays and the one that runs.
    std::size_t scripts = 0;
    for (auto at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1))
        ++scripts;
    EXPECT_EQ(scripts, 3U);
}

TEST(RunReport, AMillionPointsAreSmallAndKeepTheirSpike) {
    const std::string page = page_of(samples::long_run(250'000));
    EXPECT_LT(page.size(), 1'500'000U);
    EXPECT_TRUE(test::holds(page, "windows are drawn as"));
    EXPECT_TRUE(test::holds(page, ">" + number(samples::spike_per_second) + "<")) << "the greatest of its series";
}

TEST(RunReport, SeveralRunsHaveATableOfAll) {
    const std::string page =
        report_runs({{"a.snap", samples::rich_run()}, {"b.snap", samples::empty_run()}}, "snapscope test");
    EXPECT_EQ(test::unbalanced(markup_of(page)), "");
    EXPECT_TRUE(test::holds(page, "The runs of this report"));
    EXPECT_TRUE(test::holds(page, "id=\"r1-slots\""));
    EXPECT_TRUE(test::holds(page, "id=\"r2-slots\""));
}

TEST(RunReport, AnUnfinishedRunSaysSo) {
    auto run = samples::rich_run();
    run.finished = false;
    EXPECT_TRUE(test::holds(page_of(run), "unfinished: it covers what had been written"));
}

} // namespace
} // namespace snapscope
