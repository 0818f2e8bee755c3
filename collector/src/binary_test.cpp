#include <snapscope/collector/binary.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

using namespace std::string_literals;

TEST(Version, IsTheTextUpToTheLineEnd) {
    EXPECT_EQ(find_version("abc\0postgres (PostgreSQL) 15.20 (Debian 15.20-0+deb12u1)\n\0x"s),
              "15.20 (Debian 15.20-0+deb12u1)");
    EXPECT_EQ(find_version("postgres (PostgreSQL) 13.16\0"s), "13.16");
}

TEST(Version, IsAbsentWithoutAnEnd) {
    EXPECT_FALSE(find_version("postgres (PostgreSQL) 13.16"));
    EXPECT_FALSE(find_version("postgres (PostgreSQL) \n"));
    EXPECT_FALSE(find_version("nothing here"));
}

TEST(Binary, TellsItsBuildAndProbes) {
    const auto facts = read_binary(SNAPSCOPE_VICTIM);
    ASSERT_TRUE(facts) << facts.error().message();
    EXPECT_EQ(facts->snapscope_probes.size(), 14U);
    EXPECT_FALSE(facts->version);
}

TEST(Binary, TextFileIsAnError) {
    EXPECT_FALSE(read_binary(SNAPSCOPE_SOURCE_DIR "/CMakeLists.txt"));
}

} // namespace
} // namespace snapscope
