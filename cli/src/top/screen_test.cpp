#include "../escape.hpp"
#include "screen.hpp"
#include "slot_map.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string text_of(const Line& line) {
    std::string out;
    for (const Span& span : line)
        out += span.text;
    return out;
}

std::string text_of(const std::vector<Line>& lines) {
    std::string out;
    for (const Line& line : lines)
        out += text_of(line) + "\n";
    return out;
}

TopState busy() {
    TopState out;
    out.target = "pid 812, port 5432, /srv/pg";
    out.server.version = "13.16";
    out.server.snapshot_cache = "copy";
    out.interval_s = 1;
    const auto counted = [](const char* name, double value) {
        return TopNumber{name, "ring", "1", EvidenceKind::counted, false, value};
    };
    out.numbers = {counted("snapshots_taken", 2000),
                   counted("snapshots_reused", 1500),
                   counted("snapshots_rebuilt", 500),
                   {"snapshots_waited", "ring", "1", EvidenceKind::counted, false, std::nullopt},
                   {"xacts_committed", "sql", "1", EvidenceKind::counted, false, 990},
                   {"xacts_rolled_back", "sql", "1", EvidenceKind::counted, false, 10},
                   {"horizon_age", "mirror", "xids", EvidenceKind::sampled, true, 4321},
                   {"horizon_holder_slot", "mirror", "slot", EvidenceKind::sampled, true, 7},
                   {"builder_spins", "ring", "1", EvidenceKind::counted, false, 0}};
    out.durations = {{"ring", "", 2000, Interval{256, 288}, Interval{400, 448}, Interval{1024, 1152}}};
    out.slots = {{7, 4300, 0, 1500.0, 0.5}, {8, 4301, 1, 500.0, 0.1}, {9, 4302, std::nullopt, 0.0, std::nullopt}};
    out.sockets = 2;
    SourceStatus ring;
    ring.name = "ring";
    ring.state = SourceState::degraded;
    ring.reason = "12 events lost";
    ring.lost = 12;
    out.sources = {ring};
    out.history = {100, std::nullopt, 2000};
    return out;
}

TEST(TopScreenTest, ItHasExactlyTheRowsAndNoMoreThanTheColumns) {
    for (const std::size_t rows : {0U, 1U, 2U, 5U, 24U, 200U}) {
        for (const std::size_t columns : {1U, 10U, 80U, 300U}) {
            ScreenOptions options;
            options.rows = rows;
            options.columns = columns;
            const auto lines = top_screen(busy(), options);
            ASSERT_EQ(lines.size(), rows);
            for (const Line& line : lines)
                EXPECT_LE(display_width(text_of(line)), columns);
        }
    }
}

TEST(TopScreenTest, ItSaysWhatWasCountedAndByWhom) {
    const auto text = text_of(top_lines(busy(), {}));
    EXPECT_THAT(text, HasSubstr("PostgreSQL 13.16, snapshot_cache copy, pid 812"));
    EXPECT_THAT(text, testing::ContainsRegex("tps +1 000/s +counted by sql"));
    EXPECT_THAT(text, testing::ContainsRegex("snapshots +2 000/s +counted by ring"));
    EXPECT_THAT(text, testing::ContainsRegex("  reused +1 500/s +75.0 %"));
    EXPECT_THAT(text, testing::ContainsRegex("all +288 ns +448 ns +1.15 us +2 000 +by ring"));
    EXPECT_THAT(text, testing::ContainsRegex("ring +degraded, lost 12 +12 events lost"));
    EXPECT_THAT(text, Not(HasSubstr("waited")));        // the mode cannot tell
    EXPECT_THAT(text, Not(HasSubstr("builder spins"))); // nothing happened
}

TEST(TopScreenTest, WhateverASourceSaysOfTheHorizonIsThereWithItsHolder) {
    const auto text = text_of(top_lines(busy(), {}));
    EXPECT_THAT(text, testing::ContainsRegex("horizon age +4 321 xids +sampled by mirror"));
    EXPECT_THAT(text, testing::ContainsRegex("horizon holder slot +7 +sampled by mirror, pid 4300"));
    auto without = busy();
    std::erase_if(without.numbers, [](const TopNumber& n) { return n.source == "mirror"; });
    EXPECT_THAT(text_of(top_lines(without, {})), Not(HasSubstr("horizon")));
}

TEST(TopScreenTest, ANumberThatNoPartOfItKnowsIsStillShown) {
    auto more = busy();
    more.numbers.push_back({"line_stalls", "linetimer", "1", EvidenceKind::inferred, false, 12.5});
    EXPECT_THAT(text_of(top_lines(more, {})), testing::ContainsRegex("line stalls +12.5/s +inferred by linetimer"));
}

TEST(TopScreenTest, TimesAreNotGuessed) {
    auto untimed = busy();
    untimed.durations.clear();
    EXPECT_THAT(text_of(top_lines(untimed, {})), HasSubstr("not timed"));
}

TEST(TopScreenTest, AServerThatIsAwayHasNoNumbers) {
    auto away = busy();
    away.trouble = "the server has ended";
    away.interval_s = 0;
    away.gaps = 1;
    const auto text = text_of(top_lines(away, {}));
    EXPECT_THAT(text, HasSubstr("the server has ended"));
    EXPECT_THAT(text, HasSubstr("1 gap"));
    EXPECT_THAT(text, Not(HasSubstr("tps")));
}

TEST(TopScreenTest, NamesCannotSteerTheTerminal) {
    auto evil = busy();
    evil.target = "/srv/\x1b]0;owned\x07/\xff";
    evil.trouble = "a\x1b[2Jb";
    evil.sources[0].reason = "x\r\ny";
    evil.numbers.push_back({"evil\x1b[1m", "ri\x1b[1mng", "1", EvidenceKind::counted, false, 1});
    const auto lines = top_lines(evil, {});
    for (const Line& line : lines)
        for (const char c : text_of(line))
            EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f) << text_of(line);
    EXPECT_THAT(text_of(lines), Not(HasSubstr("\xff")));
}

TEST(TopScreenTest, TheMiddleScrollsAndStopsAtItsEnd) {
    ScreenOptions options;
    options.rows = 10;
    const std::size_t most = most_scroll(busy(), options);
    ASSERT_GT(most, 0U);
    const auto top = top_screen(busy(), options);
    options.scroll = 1;
    const auto next = top_screen(busy(), options);
    EXPECT_EQ(next[0], top[0]); // the head stays
    EXPECT_EQ(next[2], top[3]);
    EXPECT_EQ(next.back(), top.back()); // and the keys
    options.scroll = most;
    const auto end = top_screen(busy(), options);
    options.scroll = 100000;
    EXPECT_EQ(top_screen(busy(), options), end);
    EXPECT_THAT(text_of(end[8]), HasSubstr("ring"));
    options.rows = 200;
    EXPECT_EQ(most_scroll(busy(), options), 0U);
}

TEST(TopScreenTest, WithoutUnicodeEveryByteIsAscii) {
    ScreenOptions options;
    options.unicode = false;
    auto named = busy();
    named.target = "/srv/d\xc3\xa9p\xc3\xb4t";
    for (const auto& lines : {top_lines(named, options), top_screen(named, options)})
        for (const char c : text_of(lines))
            EXPECT_LT(static_cast<unsigned char>(c), 0x80);
    EXPECT_THAT(text_of(top_lines(named, options)), HasSubstr("/srv/d?p?t"));
}

TEST(SlotMapTest, SlotsStandByTheirSocketShadedByActivity) {
    const auto lines = slot_map(busy().slots, 2, 80, false);
    ASSERT_EQ(lines.size(), 7U);
    EXPECT_THAT(text_of(lines[1]), HasSubstr("not placed: 1 slots, 0 active"));
    EXPECT_EQ(text_of(lines[2]), "  .");
    EXPECT_THAT(text_of(lines[3]), HasSubstr("socket 0 of 2: 1 slots, 1 active, 1 500 snapshots/s, 0.50 CPUs"));
    EXPECT_EQ(text_of(lines[4]), "  @");
    EXPECT_EQ(text_of(lines[6]), "  :"); // a third of the busiest
}

TEST(SlotMapTest, ManySlotsWrapAndUnknownOnesAreLeftOut) {
    std::vector<TopSlot> slots(100, {0, std::nullopt, 0, 1.0, std::nullopt});
    slots.push_back({0, std::nullopt, 0, std::nullopt, std::nullopt});
    const auto lines = slot_map(slots, 1, 42, false);
    ASSERT_EQ(lines.size(), 5U); // 40 + 40 + 20
    EXPECT_EQ(text_of(lines[4]).size(), 22U);
    EXPECT_TRUE(slot_map({{0, std::nullopt, 0, std::nullopt, std::nullopt}}, 1, 80, true).empty());
}

} // namespace
} // namespace snapscope::cli
