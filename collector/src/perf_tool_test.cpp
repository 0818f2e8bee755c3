// Which events perf samples memory with on which processor, and how tools speak.
#include "perf_tool.hpp"
#include "tool_child.hpp"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(PerfTool, TheListNamesTheFormOfTheProcessor) {
    EXPECT_THAT(parse_memory_events("ldlat-loads  cpu/mem-loads,ldlat=30/P : available\n"
                                    "ldlat-stores cpu/mem-stores/P         : available\n"),
                ElementsAre("cpu/mem-loads,ldlat=30/P", "cpu/mem-stores/P"));
    EXPECT_THAT(parse_memory_events("ldlat-loads  {cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/P}: available\n"),
                ElementsAre("{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/P}"));
    EXPECT_THAT(parse_memory_events("mem-ldst     ibs_op//                 : available\n"), ElementsAre("ibs_op//"));
    EXPECT_THAT(parse_memory_events(
                    "spe-load     arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,store_filter=0,min_latency=30/: "
                    "available\n"),
                ElementsAre("arm_spe_0/ts_enable=1,pa_enable=1,load_filter=1,store_filter=0,min_latency=30/"));
    EXPECT_THAT(parse_memory_events("ldlat-loads  : available\n"), IsEmpty()) << "without -v it names no event";
    EXPECT_THAT(parse_memory_events("failed: memory events not supported\n"), IsEmpty());
    EXPECT_THAT(parse_memory_events("ldlat-loads  cpu/mem-loads,ldlat=30/P\n"), IsEmpty()) << "not available";
    EXPECT_THAT(parse_memory_events(""), IsEmpty());
}

TEST(PerfTool, EverySampleStatesHowLongItsEventRan) {
    EXPECT_EQ(with_running_time("cpu/mem-stores/P"), "cpu/mem-stores/PS");
    EXPECT_EQ(with_running_time("ibs_op//"), "ibs_op//S");
    EXPECT_EQ(with_running_time("{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/P}"),
              "{cpu/mem-loads-aux/,cpu/mem-loads,ldlat=30/P}:S");
    EXPECT_EQ(with_running_time("arm_spe_0/ts_enable=1/"), "arm_spe_0/ts_enable=1/");
    const auto with = perf_arguments("/usr/bin/perf", {"ibs_op//"}, 1000, true);
    EXPECT_THAT(with, Contains("--running-time"));
    EXPECT_THAT(with, Contains("ibs_op//S"));
    const auto without = perf_arguments("/usr/bin/perf", {"ibs_op//"}, 1000, false);
    EXPECT_EQ(std::ranges::count(without, "--running-time"), 0);
    EXPECT_THAT(without, Contains("ibs_op//"));
}

TEST(ToolChild, ComplaintsAreTheToolsOwnWords) {
    EXPECT_EQ(own_words("failed: memory events not supported\n"), "failed: memory events not supported");
    EXPECT_EQ(own_words("\n Intel(r) Performance Counter Monitor\n\nERROR: vPMU is not enabled\n"
                        "Access has denied (no MSR).\nCleaning up\n Zeroed uncore PMU registers\n"),
              "Access has denied (no MSR).");
    EXPECT_EQ(own_words("[ perf record: Woken up 1 times ]\nit is over\n[ perf record: Captured 1 MB ]\n"),
              "it is over");
    EXPECT_EQ(own_words("\n---\n"), "");
    EXPECT_EQ(own_words(std::string(1000, 'e')).size(), 300U);
}

TEST(ToolChild, ADeafToolIsKilledAndThatIsKnown) {
    auto deaf = ToolChild::start({"/bin/sh", "-c", "trap '' INT TERM; echo on; while :; do sleep 0.05; done"});
    ASSERT_TRUE(deaf) << deaf.error().message();
    std::string heard;
    const auto listen = [&](std::string_view bytes) { heard += bytes; };
    while (heard != "on\n")
        ASSERT_TRUE(deaf->pump(std::chrono::milliseconds(100), listen));
    deaf->end(std::chrono::milliseconds(50), listen);
    EXPECT_TRUE(deaf->was_killed());
    auto polite =
        ToolChild::start({"/bin/sh", "-c", "trap 'echo bye; exit 7' INT; echo on; while :; do sleep 0.05; done"});
    ASSERT_TRUE(polite);
    heard.clear();
    while (heard != "on\n")
        ASSERT_TRUE(polite->pump(std::chrono::milliseconds(100), listen));
    EXPECT_EQ(polite->end(std::chrono::seconds(30), listen), 7);
    EXPECT_EQ(heard, "on\nbye\n");
    EXPECT_FALSE(polite->was_killed());
}

} // namespace
} // namespace snapscope
