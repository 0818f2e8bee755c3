#include "pack.hpp"

#include <array>
#include <cstring>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using testing::HasSubstr;
using testing::Not;

// RFC 4648, section 10.
TEST(Base64, AsTheStandardSays) {
    EXPECT_EQ(base64(""), "");
    EXPECT_EQ(base64("f"), "Zg==");
    EXPECT_EQ(base64("fo"), "Zm8=");
    EXPECT_EQ(base64("foo"), "Zm9v");
    EXPECT_EQ(base64("foob"), "Zm9vYg==");
    EXPECT_EQ(base64("fooba"), "Zm9vYmE=");
    EXPECT_EQ(base64("foobar"), "Zm9vYmFy");
    EXPECT_EQ(base64("\xff\xfe\xfd"), "//79");
}

TEST(ScriptJson, CannotEndItsElement) {
    const nlohmann::json json{{"<b>", "</script><!--<script>"}, {"damaged", "\xff"}, {"other", "\xd7\xa9"}};
    const auto text = script_json(json);
    EXPECT_THAT(text, Not(HasSubstr("<")));
    for (const char c : text)
        EXPECT_LT(static_cast<unsigned char>(c), 0x80);
    const auto back = nlohmann::json::parse(text);
    EXPECT_EQ(back.at("<b>"), "</script><!--<script>");
    EXPECT_EQ(back.at("other"), "\xd7\xa9");
}

TEST(Pack, ArraysLieWhereTheirReferenceSays) {
    Pack pack;
    const auto a = pack.f32(std::array{1.5F, std::numeric_limits<float>::quiet_NaN(), -2.0F});
    const auto b = pack.f64(std::array{1e300, 0.1});
    const auto c = pack.u32(std::array{std::uint32_t{7}, std::numeric_limits<std::uint32_t>::max()});
    EXPECT_EQ(a, (nlohmann::json{{"type", "f32"}, {"at", 0}, {"count", 3}}));
    EXPECT_EQ(b, (nlohmann::json{{"type", "f64"}, {"at", 16}, {"count", 2}}));
    EXPECT_EQ(c, (nlohmann::json{{"type", "u32"}, {"at", 32}, {"count", 2}}));
    ASSERT_EQ(pack.bytes().size(), 40U);
    double value = 0;
    std::memcpy(&value, pack.bytes().data() + 24, sizeof value);
    EXPECT_EQ(value, 0.1);
    float absent = 0;
    std::memcpy(&absent, pack.bytes().data() + 4, sizeof absent);
    EXPECT_TRUE(absent != absent);
}

} // namespace
} // namespace snapscope
