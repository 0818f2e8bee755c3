#include "sql_connection.hpp"

#include <snapscope/collector/memory_file.hpp>

#include <cstdlib>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

TEST(SqlParameters, DsnWinsOverDefaults) {
    const auto merged = merge_parameters({{"host", "/run"}, {"user", "postgres"}}, "user=me port=1");
    ASSERT_TRUE(merged);
    EXPECT_EQ(merged->at("user"), "me");
    EXPECT_EQ(merged->at("host"), "/run");
    EXPECT_EQ(merged->at("port"), "1");
}

TEST(SqlParameters, EnvironmentWinsOverDefaults) {
    ASSERT_EQ(::setenv("PGUSER", "somebody", 1), 0); // NOLINT(concurrency-mt-unsafe)
    const auto merged = merge_parameters({{"user", "postgres"}}, "");
    ::unsetenv("PGUSER"); // NOLINT(concurrency-mt-unsafe)
    ASSERT_TRUE(merged);
    EXPECT_FALSE(merged->contains("user"));
}

TEST(SqlParameters, DsnThatIsNoneIsUsage) {
    const auto merged = merge_parameters({}, "what = 'is");
    ASSERT_FALSE(merged);
    EXPECT_EQ(merged.error().error_class, ErrorClass::usage);
}

TEST(SqlConnection, NobodyThereIsUnavailableOnOneLine) {
    const auto connection =
        SqlConnection::connect({{"host", "/nonexistent"}, {"port", "1"}}, std::nullopt, std::chrono::seconds(1));
    ASSERT_FALSE(connection);
    EXPECT_EQ(connection.error().error_class, ErrorClass::unavailable);
    EXPECT_EQ(connection.error().what.find('\n'), std::string::npos);
}

TEST(Locks, HolderIsFoundByInode) {
    const char* locks = "1: POSIX  ADVISORY  WRITE 10 00:01:77 0 EOF\n"
                        "2: FLOCK  ADVISORY  WRITE 11 00:01:177 0 EOF\n"
                        "3: FLOCK  ADVISORY  WRITE 12 00:01:77 0 EOF\n"
                        "garbage\n";
    EXPECT_EQ(find_lock_holder(locks, 77), 12);
    EXPECT_EQ(find_lock_holder(locks, 7), std::nullopt);
}

} // namespace
} // namespace snapscope
