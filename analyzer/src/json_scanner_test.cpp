#include "json_scanner.hpp"

#include <cstring>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <random>

namespace snapscope {
namespace {

// Hands out the text in pieces of `step` bytes.
JsonScanner::Read pieces(const std::string& text, std::size_t step) {
    return [text, step, at = std::size_t{0}](char* data, std::size_t size) mutable -> Result<std::size_t> {
        const std::size_t bytes = std::min({step, size, text.size() - at});
        std::memcpy(data, text.data() + at, bytes);
        at += bytes;
        return bytes;
    };
}

// Empty when the text is JSON, else the error.
std::string scan(const std::string& text, std::size_t step = 1000) {
    JsonScanner scanner(pieces(text, step));
    for (;;) {
        const auto token = scanner.next();
        if (!token)
            return token.error().what;
        if (*token == JsonScanner::Token::end)
            return "";
    }
}

TEST(JsonScanner, TokensHaveTheirTextAndOffset) {
    JsonScanner scanner(pieces(R"( {"a\u00b5\ud83d\ude00" : [-1.50e+2, null]})", 1));
    using Token = JsonScanner::Token;
    const std::vector<std::tuple<Token, std::string, std::uint64_t>> expected{
        {Token::begin_object, "", 1},    {Token::key, "aµ😀", 2},       {Token::begin_array, "", 26},
        {Token::number, "-1.50e+2", 27}, {Token::literal, "null", 37}, {Token::end_array, "", 41},
        {Token::end_object, "", 42}};
    for (const auto& [token, text, offset] : expected) {
        const auto next = scanner.next();
        ASSERT_TRUE(next) << next.error().what;
        EXPECT_EQ(*next, token);
        EXPECT_EQ(scanner.offset(), offset);
        if (!text.empty()) {
            EXPECT_EQ(scanner.text(), text);
        }
    }
    EXPECT_EQ(scanner.next().value(), Token::end);
}

TEST(JsonScanner, WhatIsNoJsonIsRefusedWithItsByte) {
    EXPECT_EQ(scan(""), "byte 0: expected a value, found the end of the file");
    EXPECT_EQ(scan("hello"), "byte 0: expected a value, found 'h'");
    EXPECT_EQ(scan("[1,]"), "byte 3: expected a value, found ']'");
    EXPECT_EQ(scan("{\"a\":1,}"), "byte 7: expected a key in double quotes, found '}'");
    EXPECT_EQ(scan("[01]"), "byte 2: expected ',' or ']', found '1'");
    EXPECT_EQ(scan("[1] x"), "byte 4: expected the end of the file, found 'x'");
    EXPECT_EQ(scan("[\"a\nb\"]"), "byte 3: a raw control character inside a string: byte 0x0a");
    EXPECT_EQ(scan("[\"\xff\"]"), "byte 2: a string is no UTF-8 from byte 2 on");
    EXPECT_EQ(scan("[\"\\ud800\"]"), "byte 9: an escaped surrogate without its other half");
    EXPECT_EQ(scan("[nul]"), "byte 1: expected true, false or null");
    EXPECT_EQ(scan("[NaN]"), "byte 1: expected a value, found 'N'");
    EXPECT_EQ(scan("[1}"), "byte 2: expected ',' or ']', found '}'");
}

TEST(JsonScanner, DepthAndLengthAreBounded) {
    EXPECT_EQ(scan(std::string(1000000, '[')), "byte 128: nested deeper than 128");
    EXPECT_EQ(scan("[" + std::string(1000000, '9') + "]"), "");
    EXPECT_EQ(scan("[\"" + std::string(1000000, 'x') + "\"]"), "");
}

// Random damage to a valid document: the scanner and an independent parser
// must agree on what is JSON.
TEST(JsonScanner, AgreesWithAnIndependentParserOnDamagedText) {
    const std::string base = R"({"k":[1,-2.5e3,true,null,"\u00e9\n",{"x":{}}],"é":"\ud83d\ude00","z":[]})";
    std::mt19937 random(7); // NOLINT(cert-msc51-cpp): the same damage every time
    const std::string bytes = "{}[]\",:\\u0e-+.1ntf \n\x80\xc3\xa9\xff";
    int valid = 0;
    for (int i = 0; i < 20000; ++i) {
        std::string text = base;
        for (auto edits = random() % 3; edits > 0; --edits) {
            const auto at = random() % text.size();
            const char byte = bytes[random() % bytes.size()];
            if (random() % 2 == 0)
                text[at] = byte;
            else
                text.erase(at, 1);
        }
        const bool expected = nlohmann::json::accept(text);
        valid += expected ? 1 : 0;
        ASSERT_EQ(scan(text, 1 + random() % 9).empty(), expected) << text;
    }
    EXPECT_GT(valid, 1000);
}

} // namespace
} // namespace snapscope
