#include "output.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

Terminal plain() {
    Terminal terminal;
    terminal.color = ColorMode::never;
    return terminal;
}

TEST(Table, TextAlignsAndEscapes) {
    Table table({{"name"}, {"n", Table::Align::right}});
    table.add({"a\n", "1"});
    table.add({"µ", "1000"});
    EXPECT_EQ(table.text(plain()), "name     n\na\\n      1\nµ     1000\n");
    EXPECT_EQ(table.csv(), "name,n\na\\n,1\nµ,1000\n");
    EXPECT_EQ(table.markdown(), "| name | n |\n| --- | ---: |\n| a\\\\n | 1 |\n| µ | 1000 |\n");
}

TEST(Terminal, ColoursOnlyWhereAsked) {
    Terminal terminal = plain();
    EXPECT_EQ(terminal.paint("x", Tone::bad), "x");
    terminal.color = ColorMode::always;
    EXPECT_EQ(terminal.paint("x", Tone::bad), "\033[31mx\033[0m");
}

TEST(Json, IsAsciiAndValidWhateverComesIn) {
    const std::string text = render_json(nlohmann::json{{"k", "a\x9b\x1b"}});
    EXPECT_EQ(text, "{\n  \"k\": \"a\\ufffd\\u001b\"\n}\n");
}

TEST(Number, KeepsSignificantDigits) {
    EXPECT_EQ(number(0), "0");
    EXPECT_EQ(number(66225.29), "66225");
    EXPECT_EQ(number(0.0012345), "0.001234");
    EXPECT_EQ(number(-12.345), "-12.35");
    EXPECT_EQ(grouped(1234567), "1 234 567");
    EXPECT_EQ(grouped(123), "123");
}

} // namespace
} // namespace snapscope::cli
