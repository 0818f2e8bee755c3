#include "startup.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::startup {
namespace {

using namespace std::string_literals;
using testing::HasSubstr;

const std::string ok = "R\0\0\0\x08\0\0\0\0"s;
const std::string setting = "S\0\0\0\x08"
                            "a\0b\0"s;
const std::string ready = "Z\0\0\0\x05I"s;

TEST(Startup, packet_states_its_own_length_and_version) {
    const auto bytes = packet("u", "d", "a");
    EXPECT_EQ(bytes.size(), static_cast<unsigned char>(bytes[3]));
    EXPECT_EQ(bytes.substr(4, 4), "\0\3\0\0"s);
    EXPECT_EQ(bytes.substr(8), "user\0u\0database\0d\0application_name\0a\0\0"s);
}

TEST(Startup, is_ready_only_after_the_whole_answer_however_it_is_cut) {
    const auto whole = ok + setting + ready;
    std::string bytes;
    for (std::size_t at = 0; at < whole.size(); ++at) {
        bytes += whole[at];
        const auto reply = take_reply(bytes);
        ASSERT_TRUE(reply) << at;
        EXPECT_EQ(*reply, at + 1 == whole.size()) << at;
    }
}

TEST(Startup, a_refusal_brings_the_servers_words) {
    auto bytes = "E\0\0\0\x17"
                 "SFATAL\0Msorry, no\0\0"s;
    const auto reply = take_reply(bytes);
    ASSERT_FALSE(reply);
    EXPECT_THAT(reply.error().message(), HasSubstr("sorry, no"));
}

TEST(Startup, refuses_a_password_and_other_protocols) {
    auto password = "R\0\0\0\x08\0\0\0\x03"s;
    EXPECT_THAT(take_reply(password).error().message(), HasSubstr("password"));
    auto http = "HTTP/1.1 400 Bad Request"s;
    EXPECT_FALSE(take_reply(http));
    auto other = "T\0\0\0\x04"s;
    EXPECT_FALSE(take_reply(other));
}

} // namespace
} // namespace snapscope::startup
