#include "html.hpp"

#include <gtest/gtest.h>

namespace snapscope {
namespace {

TEST(EscapeHtml, MarkupIsText) {
    EXPECT_EQ(escape_html("<script>alert(1)</script>"), "&lt;script&gt;alert(1)&lt;/script&gt;");
    EXPECT_EQ(escape_html("\"'&"), "&quot;&#39;&amp;");
}

TEST(EscapeHtml, OtherDirectionsAndPicturesStay) {
    EXPECT_EQ(escape_html("\xd7\xa9\xd7\x9c \xf0\x9f\x90\x98"), "\xd7\xa9\xd7\x9c \xf0\x9f\x90\x98");
}

TEST(EscapeHtml, WhatSteersIsVisible) {
    EXPECT_EQ(escape_html("a\xe2\x80\xae"
                          "b"),
              "a\\u{202E}b");
    EXPECT_EQ(escape_html("\xe2\x81\xa6\xe2\x81\xa9\xd8\x9c\xe2\x80\x8f"), "\\u{2066}\\u{2069}\\u{61C}\\u{200F}");
    EXPECT_EQ(escape_html(std::string_view("\0\a\x7f\xc2\x9b\n", 6)), "\\u{0}\\u{7}\\u{7F}\\u{9B}\\u{A}");
    EXPECT_EQ(escape_html("\xe2\x80\xa8\xef\xbb\xbf\xef\xbf\xbf"), "\\u{2028}\\u{FEFF}\\u{FFFF}");
}

TEST(EscapeHtml, DamagedBytesAreReplaced) {
    EXPECT_EQ(escape_html("a\xff"), "a\xef\xbf\xbd");
    EXPECT_EQ(escape_html("\xc3("), "\xef\xbf\xbd(");
}

TEST(Html, ElementsEndWhereTheirOwnerDoes) {
    Html html;
    {
        const auto outer = html.element("div", {{"class", "a \"b\" <c>"}, {"hidden", ""}});
        html.leaf("b", "<x>");
        const auto inner = html.element("p");
        html.text("1 & 2").isolated("'");
    }
    html.single("meta", {{"charset", "utf-8"}});
    EXPECT_EQ(html.str(), "<div class=\"a &quot;b&quot; &lt;c&gt;\" hidden><b>&lt;x&gt;</b><p>1 &amp; "
                          "2<bdi>&#39;</bdi></p></div><meta charset=\"utf-8\"/>");
}

} // namespace
} // namespace snapscope
