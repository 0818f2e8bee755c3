#include "cluster_files.hpp"

#include <gtest/gtest.h>

namespace snapscope::cluster {
namespace {

TEST(ClusterFiles, quotes_values_as_the_server_reads_them) {
    EXPECT_EQ(settings_text({{"a", "1"}, {"b", "it's"}, {"c", "x\\y"}}), "a = '1'\nb = 'it''s'\nc = 'x\\\\y'\n");
}

TEST(ClusterFiles, is_ready_only_when_the_eighth_line_says_so) {
    EXPECT_TRUE(says_ready("1\n/d\n2\n5432\n/s\n\n  1 2\nready   \n"));
    EXPECT_FALSE(says_ready("1\n/d\n2\n5432\n/s\n\n  1 2\nstarting\n"));
    EXPECT_FALSE(says_ready("1\n/d\n2\n5432\n"));
    EXPECT_FALSE(says_ready(""));
}

TEST(ClusterFiles, finds_the_reason_in_a_log) {
    EXPECT_EQ(reason_in("LOG:  starting\nFATAL:  no such setting\nLOG:  database system is shut down\n"),
              "FATAL:  no such setting");
    EXPECT_EQ(reason_in("LOG:  unrecognized x\nFATAL:  configuration file f contains errors\n"),
              "LOG:  unrecognized x; FATAL:  configuration file f contains errors");
    EXPECT_EQ(reason_in("LOG:  invalid x\nHINT:  Available values: y.\nFATAL:  configuration file f contains errors\n"),
              "LOG:  invalid x; FATAL:  configuration file f contains errors");
    EXPECT_EQ(reason_in("one\ntwo\n\n"), "two");
    EXPECT_EQ(reason_in(""), "");
}

} // namespace
} // namespace snapscope::cluster
