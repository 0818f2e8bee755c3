#include "report_samples.hpp"
#include "test_page.hpp"

#include <snapscope/dashboards/live.hpp>

#include <gtest/gtest.h>

namespace snapscope::test {
namespace {

LiveContents contents(std::size_t drawn_from = 0) {
    return {"pid 812, <script>alert(1)</script>", samples::rich_run(), samples::rich_run(), drawn_from};
}

const nlohmann::json& first_series(const nlohmann::json& sections) {
    for (const nlohmann::json& view : sections["views"])
        if (view["view"] == "series")
            return view;
    throw std::runtime_error("no series");
}

TEST(Live, TheSectionsAreThoseOfAReport) {
    const nlohmann::json sections = live_sections(contents());
    const std::string html = sections["html"];
    EXPECT_EQ(unbalanced(html), "");
    for (const char* id : {"time", "duration", "invalidations", "slots", "transfers", "horizon", "sources", "about"})
        EXPECT_TRUE(holds(html, std::string("<section id=\"r1-") + id + "\"")) << id;
    EXPECT_FALSE(holds(html, "<script"));
    EXPECT_TRUE(holds(html, "&lt;script&gt;alert(1)"));
}

TEST(Live, AStepHoldsTheSameLinesAndOnlyTheLastPoint) {
    const nlohmann::json whole = live_sections(contents());
    const std::size_t windows = samples::rich_run().windows.start_ns.size();
    const nlohmann::json step = live_sections(contents(windows - 1));
    const auto &all = first_series(whole), &last = first_series(step);
    EXPECT_EQ(last["x"]["count"], 1);
    ASSERT_EQ(all["panels"].size(), last["panels"].size());
    for (std::size_t i = 0; i < all["panels"].size(); ++i)
        EXPECT_EQ(all["panels"][i]["lines"].size(), last["panels"][i]["lines"].size());
    EXPECT_EQ(whole["html"], step["html"]) << "figures and tables are of all that is kept";
    EXPECT_LT(step["arrays"].get<std::string>().size(), whole["arrays"].get<std::string>().size());
}

TEST(Live, ThePageMayAskItsOwnServerAndNobodyElse) {
    const std::string page = live_page(contents(), {{"seq", 7}, {"text", "</script><b>"}}, "snapscope 0");
    EXPECT_TRUE(holds(page, "connect-src &#39;self&#39;") || holds(page, "connect-src 'self'"));
    EXPECT_TRUE(live_policy().ends_with("frame-ancestors 'none'"));
    EXPECT_TRUE(live_policy().starts_with("default-src 'none'; script-src 'sha256-"));
    EXPECT_FALSE(holds(markup_of(page), "</script><b>"));
    EXPECT_TRUE(holds(live_page(std::nullopt, {{"seq", 0}}, "snapscope 0"), "Nothing has been seen yet."));
}

} // namespace
} // namespace snapscope::test
