// Words, lists and small tables.
#include "case_file.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/readers/cpu_list.hpp>
#include <snapscope/readers/data_src.hpp>
#include <snapscope/readers/log2_histogram.hpp>
#include <snapscope/readers/probe_cost.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using test::case_file;
using test::case_rows;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(DataSrc, EveryPublishedWordDecodes) {
    for (auto& row : case_rows("h20-data-src-vectors.csv")) {
        const auto word = parse_integer<std::uint64_t>(row["hex"], 16).value();
        const DataSrc found = decode_data_src(word);
        const auto field = [&](const char* name) {
            return parse_integer<std::uint32_t>(row[name].substr(2), 16).value();
        };
        EXPECT_EQ(found.op, field("op")) << row["hex"];
        EXPECT_EQ(found.lvl, field("lvl")) << row["hex"];
        EXPECT_EQ(found.snoop, field("snoop")) << row["hex"];
        EXPECT_EQ(found.lock, field("lock")) << row["hex"];
        EXPECT_EQ(found.dtlb, field("dtlb")) << row["hex"];
        EXPECT_EQ(found.lvl_num, field("lvl_num")) << row["hex"];
        EXPECT_EQ(found.remote, field("remote")) << row["hex"];
        EXPECT_EQ(found.snoopx, field("snoopx")) << row["hex"];
        EXPECT_EQ(found.blk, field("blk")) << row["hex"];
        EXPECT_EQ(found.hops, field("hops")) << row["hex"];
        EXPECT_EQ(op_text(found), row["op_text"]) << row["hex"];
        EXPECT_EQ(level_text(found), row["level_text"]) << row["hex"];
        EXPECT_EQ(snoop_text(found), row["snoop_text"]) << row["hex"];
        if (found.lock == 1) {
            EXPECT_EQ(is_locked(found), Known::not_told) << "1 is N/A, not locked";
        }
    }
    const DataSrc arm = decode_data_src(0x288800142);
    EXPECT_EQ(is_hitm(arm), Known::yes) << "beside an L1 hit";
    EXPECT_EQ(level_text(arm), "L1 hit");
    EXPECT_EQ(is_hitm(decode_data_src(0x229080142)), Known::not_told);
}

TEST(CpuList, RangesAndNodeSetsOrNothing) {
    EXPECT_THAT(parse_cpu_list("0-1,4").value(), ElementsAre(0, 1, 4));
    EXPECT_TRUE(parse_cpu_list("")->empty());
    for (const char* text : {"1-", "-1", "4-2", "a", "1,,2", "70000"})
        EXPECT_FALSE(parse_cpu_list(text)) << text;
    const auto sets = parse_node_sets("0{0-1,4}  1{24-25,120}  2{48,54}  3{169}");
    ASSERT_TRUE(sets);
    EXPECT_THAT(sets->at(0), ElementsAre(0, 1, 4));
    EXPECT_THAT(sets->at(1), ElementsAre(24, 25, 120));
    EXPECT_THAT(sets->at(3), ElementsAre(169));
    for (const char* text : {"0{}", "0{1", "x{1}", "0{1} 0{2}", "1{a}"})
        EXPECT_FALSE(parse_node_sets(text)) << text;
}

TEST(Log2Histogram, ATableAndItsTextSayTheSame) {
    const std::string csv = case_file("h29-funclatency-histogram.csv");
    std::string text = "     nsecs               : count     distribution\n";
    for (auto& row : case_rows("h29-funclatency-histogram.csv"))
        text += fmt::format("{:>10} -> {:<10} : {:<8} |****|\n", row["lo_ns"], row["hi_ns"], row["count"]);
    for (const std::string& form : {csv, test::replaced(csv, "\n", "\r\n"), test::replaced(csv, ",", ";"), text}) {
        const auto read = read_log2_histogram(form, "x");
        ASSERT_TRUE(read) << read.error().message();
        EXPECT_THAT(read->histogram.bounds, ElementsAre(1024, 2048, 4096, 8192, 16384, 32768, 65536));
        EXPECT_THAT(read->histogram.counts, ElementsAre(995030, 1566, 1590, 259, 899, 293));
        EXPECT_TRUE(read->may_be_cut) << "the text ends in a bucket that is not empty";
        EXPECT_THAT(read->notes, Contains(HasSubstr("or beyond")));
    }
    EXPECT_EQ(read_log2_histogram("[1K, 2K)  10 |@@|\n[2K, 4K) 0 | |\n", "x")->histogram.bounds[0], 1024);
    EXPECT_FALSE(read_log2_histogram("lo_ns,hi_ns,count\n1024,2047,-1\n", "x"));
    EXPECT_FALSE(read_log2_histogram("lo_ns,hi_ns,count\n1024,2047,1.5\n", "x"));
    EXPECT_FALSE(read_log2_histogram("lo_ns,hi_ns,count\n2048,4095,1\n1024,2047,1\n", "x"));
    EXPECT_FALSE(read_log2_histogram("hello\n", "x"));
    EXPECT_THAT(read_log2_histogram("lo_ns,hi_ns,count\n1,1,5\n2,3", "x")->notes, Contains(HasSubstr("cut off")));
}

TEST(ProbeCost, LoadIsCallsTimesCostAndIsWarnedAbout) {
    const auto costs = read_probe_costs(case_file("h22-probe-cost.csv"), "x");
    ASSERT_TRUE(costs) << costs.error().message();
    ASSERT_EQ(costs->size(), 4U);
    EXPECT_FALSE((*costs)[3].kernel_ns) << "blank is not measured, not free";
    const double both = *(*costs)[0].kernel_ns + *(*costs)[1].kernel_ns;
    EXPECT_NEAR(probe_load(100'000, both), 0.722, 0.001);
    EXPECT_THAT(probe_load_warning(100'000, both).value(), HasSubstr("72 % of one core"));
    EXPECT_FALSE(probe_load_warning(1000, both));
    EXPECT_FALSE(read_probe_costs("probe,kernel_ns,userspace_ns\nuprobe,\"3,2\",1\n", "x"));
    EXPECT_FALSE((*read_probe_costs("probe,kernel_ns,userspace_ns\nuprobe,-1.00,NaN\n", "x"))[0].kernel_ns);
    EXPECT_FALSE(read_probe_costs("probe,kernel_ns,userspace_ns\nuprobe,3,31", "x")) << "it may be cut";
}

} // namespace
} // namespace snapscope
