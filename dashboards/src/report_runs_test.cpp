#include "assets.hpp"
#include "report_samples.hpp"
#include "test_page.hpp"

#include <snapscope/analyzer/summary.hpp>
#include <snapscope/analyzer/words.hpp>
#include <snapscope/base/numbers.hpp>
#include <snapscope/dashboards/report.hpp>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using test::markup_of;
using testing::HasSubstr;
using testing::Not;

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
    EXPECT_THAT(page, HasSubstr("default-src &#39;none&#39;"));
    EXPECT_THAT(page, HasSubstr(std::string(assets::script_hash)));
    EXPECT_THAT(page, HasSubstr(std::string(assets::style_hash)));
    const std::string markup = markup_of(page);
    for (const char* outside : {" src=", "<link", "<iframe", "<img", "<object", "url(", " style=", " onclick="})
        EXPECT_THAT(markup, Not(HasSubstr(outside)));
    EXPECT_THAT(std::string(assets::style), Not(HasSubstr("url(")));
    EXPECT_THAT(std::string(assets::style), Not(HasSubstr("@import")));
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
    EXPECT_THAT(page, HasSubstr(finding(summary)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<data value=\"{}\">", *summary.snapshots.taken)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<data value=\"{}\">", summary.tps->value)));
    EXPECT_THAT(page, HasSubstr(fmt::format("<data value=\"{}\">", summary.duration.p99->high)));
    EXPECT_THAT(page, HasSubstr(grouped(*summary.invalidations.total)));
    for (const NamedCount& reason : summary.invalidations.by_reason)
        EXPECT_THAT(page, HasSubstr(grouped(reason.count))) << reason.name;
    for (const Total& total : run.totals) {
        const std::string text = total.value ? std::to_string(*total.value) : "cannot tell";
        EXPECT_THAT(page, HasSubstr("<bdi>" + text + "</bdi>")) << total.name;
    }
}

TEST(RunReport, EveryKindOfEvidenceHasItsShapeAndItsWord) {
    const std::string page = page_of(samples::rich_run());
    for (const char* kind : {"counted", "sampled", "measured", "inferred", "emulated", "modelled"}) {
        EXPECT_THAT(page, HasSubstr(fmt::format("<symbol id=\"kind-{}\"", kind)));
        EXPECT_THAT(page, HasSubstr(fmt::format("<use href=\"#kind-{}\"/></svg>{}", kind, kind))) << "in the legend";
        EXPECT_THAT(page, HasSubstr(std::string(kind) + " by ")) << "beside a number";
    }
    EXPECT_THAT(page, HasSubstr("class=\"swatch s2 modelled\"")) << "and in the lines of charts";
}

TEST(RunReport, WhatCouldNotBeHadIsACellWithReasonAndHint) {
    const std::string page = page_of(samples::empty_run());
    for (const char* text : {"unavailable", "this server has no rings", "use the patched server", "no CAP_BPF",
                             "run as root, or setcap cap_bpf+ep", "no hardware PMU in this VM", "HITM needs bare metal",
                             "snapscope record --source mirror", "snapscope record --source sched"})
        EXPECT_THAT(page, HasSubstr(text)) << text;
    const std::string markup = markup_of(page);
    EXPECT_THAT(markup, Not(HasSubstr("data-view"))) << "no empty chart";
    EXPECT_THAT(markup, Not(HasSubstr("<data"))) << "no number";
}

TEST(RunReport, WhoHoldsTheHorizonIsNamed) {
    EXPECT_THAT(page_of(samples::rich_run()),
                HasSubstr("Slot 48 (<bdi>pid 4048, client backend</bdi>) held it back in 33.3 % of all looks"));
}

TEST(RunReport, LossesAreThere) {
    const std::string page = page_of(samples::rich_run());
    EXPECT_THAT(page, HasSubstr("ring full 1 234"));
    EXPECT_THAT(page, HasSubstr("source ring lost 1234 records"));
}

TEST(RunReport, HostileNamesAreText) {
    const std::string page = page_of(samples::hostile_run());
    const std::string markup = markup_of(page);
    EXPECT_THAT(markup, Not(HasSubstr("<img")));
    EXPECT_THAT(markup, Not(HasSubstr("\"onmouseover")));
    EXPECT_THAT(markup, Not(HasSubstr("\xe2\x80\xae")));
    EXPECT_THAT(markup, HasSubstr("&lt;script&gt;window.hacked=1&lt;/script&gt;"));
    EXPECT_THAT(markup, HasSubstr("\xf0\x9f\x90\x98 elephant"));
    // Three script elements: the views, the arrays and the one that runs.
    std::size_t scripts = 0;
    for (auto at = page.find("<script"); at != std::string::npos; at = page.find("<script", at + 1))
        ++scripts;
    EXPECT_EQ(scripts, 3U);
}

TEST(RunReport, AMillionPointsAreSmallAndKeepTheirSpike) {
    const std::string page = page_of(samples::long_run(250'000));
    EXPECT_LT(page.size(), 1'500'000U);
    EXPECT_THAT(page, HasSubstr("windows are drawn as"));
    EXPECT_THAT(page, HasSubstr(">" + number(samples::spike_per_second) + "<")) << "the greatest of its series";
}

TEST(RunReport, SeveralRunsHaveATableOfAll) {
    const std::string page =
        report_runs({{"a.snap", samples::rich_run()}, {"b.snap", samples::empty_run()}}, "snapscope test");
    EXPECT_EQ(test::unbalanced(markup_of(page)), "");
    EXPECT_THAT(page, HasSubstr("The runs of this report"));
    EXPECT_THAT(page, HasSubstr("id=\"r1-slots\""));
    EXPECT_THAT(page, HasSubstr("id=\"r2-slots\""));
}

TEST(RunReport, AnUnfinishedRunSaysSo) {
    auto run = samples::rich_run();
    run.finished = false;
    EXPECT_THAT(page_of(run), HasSubstr("unfinished: it covers what had been written"));
}

} // namespace
} // namespace snapscope
