#include "guard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::test {
namespace {

using testing::HasSubstr;

constexpr const char* token = "0123456789abcdef0123456789abcdef";

HttpRequest get(std::map<std::string, std::string> headers, const std::string& path = "/") {
    HttpRequest request;
    request.method = "GET";
    request.path = path;
    request.headers = std::move(headers);
    request.headers.emplace("host", "127.0.0.1:9188");
    return request;
}

HttpRequest post(std::map<std::string, std::string> headers) {
    HttpRequest request = get(std::move(headers), "/api/mark");
    request.method = "POST";
    return request;
}

unsigned status(const Guard& guard, const HttpRequest& request) {
    const auto refused = guard.refuses(request);
    return refused ? refused->status : 200;
}

TEST(Guard, ANameOfSomebodyElsesIsRefused) {
    const Guard guard({{"db7.example"}, std::nullopt, 9188});
    for (const char* host :
         {"127.0.0.1:9188", "localhost:9188", "localhost", "[::1]:9188", "192.0.2.7", "db7.example:80"})
        EXPECT_EQ(status(guard, get({{"host", host}})), 200U) << host;
    for (const char* host : {"evil.example", "evil.example:9188", "localhost.evil.example", "127.0.0.1.evil.example",
                             "", "127.0.0.1:x", "[::1", "[::1]evil.example", "127.0.0.1:9188:1", "0x7f000001"})
        EXPECT_EQ(status(guard, get({{"host", host}})), 421U) << host;
}

TEST(Guard, AnotherSiteNeitherReadsNorActs) {
    const Guard guard({{}, std::nullopt, 9188});
    EXPECT_EQ(status(guard, get({{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "cors"}})), 403U);
    EXPECT_EQ(status(guard, get({{"sec-fetch-site", "same-site"}, {"sec-fetch-mode", "no-cors"}})), 403U);
    EXPECT_EQ(status(guard, get({{"sec-fetch-site", "cross-site"}, {"sec-fetch-mode", "navigate"}})), 200U)
        << "a link may lead here";
    EXPECT_EQ(status(guard, post({})), 403U) << "a form has no header of its own";
    EXPECT_EQ(status(guard, post({{"x-snapscope", "1"}, {"origin", "http://example.org"}})), 403U);
    EXPECT_EQ(status(guard, post({{"x-snapscope", "1"}, {"origin", "http://127.0.0.1:9188"}})), 200U);
    EXPECT_EQ(status(guard, post({{"x-snapscope", "1"}})), 200U);
    HttpRequest put = get({});
    put.method = "PUT";
    EXPECT_EQ(status(guard, put), 405U);
}

TEST(Guard, WithATokenNothingIsToldWithoutIt) {
    const Guard guard({{}, token, 9188});
    EXPECT_EQ(status(guard, get({})), 401U);
    EXPECT_EQ(status(guard, get({}, "/metrics")), 401U);
    EXPECT_EQ(status(guard, get({{"authorization", "Bearer wrong"}})), 401U);
    EXPECT_EQ(status(guard, get({{"authorization", std::string("Basic ") + token}})), 401U);
    EXPECT_EQ(status(guard, get({{"authorization", std::string("Bearer ") + token}})), 200U);
    EXPECT_EQ(status(guard, get({{"cookie", std::string("a=b; snapscope_9188=") + token}})), 200U);
    EXPECT_EQ(status(guard, get({{"cookie", std::string("snapscope_9189=") + token}})), 401U);
    EXPECT_EQ(status(guard, post({{"x-snapscope", "1"}})), 401U);
}

TEST(Guard, TheLinkBecomesACookieThatScriptsCannotRead) {
    const Guard guard({{}, token, 9188});
    HttpRequest link = get({});
    link.query["token"] = token;
    const auto login = guard.logs_in(link);
    ASSERT_TRUE(login);
    EXPECT_EQ(login->status, 303U);
    bool cookie = false;
    for (const auto& [name, value] : login->headers) {
        if (name != "Set-Cookie")
            continue;
        cookie = true;
        EXPECT_THAT(value, HasSubstr("HttpOnly"));
        EXPECT_THAT(value, HasSubstr("SameSite=Strict"));
    }
    EXPECT_TRUE(cookie);
    link.query["token"] = "0123456789abcdef0123456789abcdeX";
    EXPECT_FALSE(guard.logs_in(link));
    link.query["token"] = token;
    link.headers["host"] = "evil.example";
    EXPECT_FALSE(guard.logs_in(link));
}

TEST(Guard, SecretsAreTheSameOnlyWhole) {
    EXPECT_TRUE(same_secret("abc", "abc"));
    for (const char* other : {"", "ab", "abcd", "abd", "abcabc"})
        EXPECT_FALSE(same_secret(other, "abc")) << other;
    EXPECT_TRUE(is_token(token));
    EXPECT_FALSE(is_token("short"));
    EXPECT_FALSE(is_token(std::string(token) + "\n"));
}

} // namespace
} // namespace snapscope::test
