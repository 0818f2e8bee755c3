#include "escape.hpp"

#include <gtest/gtest.h>

namespace snapscope::cli {
namespace {

TEST(EscapeTerminal, OrdinaryTextIsLeftAlone) {
    EXPECT_EQ(escape_terminal("pgbench -S, 2 µs"), "pgbench -S, 2 µs");
}

TEST(EscapeTerminal, NothingThatSteersATerminalGetsThrough) {
    EXPECT_EQ(escape_terminal("a\033[31mb\n\t\x7f"), "a\\x1b[31mb\\n\\t\\x7f");
    EXPECT_EQ(escape_terminal("\xc2\x9b"
                              "2J"),
              "\\u{009b}2J"); // C1 CSI
    EXPECT_EQ(escape_terminal("\xe2\x80\xae"
                              "exe"),
              "\\u{202e}exe"); // right-to-left override
}

TEST(EscapeTerminal, BytesThatAreNoUtf8BecomeHex) {
    EXPECT_EQ(escape_terminal("\xff\xc0\x80"), "\\xff\\xc0\\x80");
    EXPECT_EQ(escape_terminal("\xed\xa0\x80"), "\\xed\\xa0\\x80"); // surrogate
    EXPECT_EQ(escape_terminal("\xe2\x82"), "\\xe2\\x82");          // cut off
}

TEST(EscapeCsv, QuotesOnlyWhatNeedsIt) {
    EXPECT_EQ(escape_csv("plain"), "plain");
    EXPECT_EQ(escape_csv("a,\"b\"\n"), "\"a,\"\"b\"\"\\n\"");
}

TEST(EscapeMarkdown, ACellStaysACell) {
    EXPECT_EQ(escape_markdown("a|b<i>"), "a\\|b&lt;i>");
}

} // namespace
} // namespace snapscope::cli
