#include "map_risk.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope::mirror {
namespace {

constexpr std::uint64_t megabyte = 1U << 20U;

MapFacts harmless() {
    MapFacts facts;
    facts.segment_bytes = 100 * megabyte;
    facts.overcommit = 0;
    facts.available_bytes = 200 * megabyte;
    return facts;
}

TEST(MapRisk, IsNoneWhereTwiceTheSegmentIsFree) {
    EXPECT_FALSE(map_risk(harmless()));
    auto facts = harmless();
    facts.pages = PageKind::sysv;
    facts.head_room_bytes = 200 * megabyte;
    EXPECT_FALSE(map_risk(facts));
}

TEST(MapRisk, IsNamedWhereARestartCouldFail) {
    const auto risk_with = [](auto change) {
        auto facts = harmless();
        change(facts);
        return map_risk(facts).value_or("none");
    };
    using testing::HasSubstr;
    EXPECT_THAT(risk_with([](MapFacts& f) { f.pages = PageKind::huge; }), HasSubstr("huge pages"));
    EXPECT_THAT(risk_with([](MapFacts& f) { f.overcommit = 2; }), HasSubstr("overcommit"));
    EXPECT_THAT(risk_with([](MapFacts& f) { f.overcommit.reset(); }), HasSubstr("not known"));
    EXPECT_THAT(risk_with([](MapFacts& f) { f.available_bytes = 200 * megabyte - 1; }), HasSubstr("199 MB"));
    EXPECT_THAT(risk_with([](MapFacts& f) { f.available_bytes.reset(); }), HasSubstr("not known"));
    EXPECT_THAT(risk_with([](MapFacts& f) { f.head_room_bytes = 10; }), HasSubstr("control group"));
}

TEST(MapRisk, ReadsWhatTheKernelPrints) {
    EXPECT_EQ(meminfo_bytes("MemTotal:  100 kB\nMemAvailable:   2048 kB\n", "MemAvailable"), 2 * megabyte);
    EXPECT_FALSE(meminfo_bytes("MemAvailable:   x kB\n", "MemAvailable"));
    EXPECT_FALSE(meminfo_bytes("MemAvailableX:   1 kB\n", "MemAvailable"));
    bool version_1 = true;
    EXPECT_EQ(memory_cgroup("0::/system.slice/pg\n", version_1), "/system.slice/pg");
    EXPECT_FALSE(version_1);
    EXPECT_EQ(memory_cgroup("5:cpu,memory:/pg\n0::/other\n", version_1), "/pg");
    EXPECT_TRUE(version_1);
    EXPECT_FALSE(memory_cgroup("3:cpu:/x\n", version_1));
}

} // namespace
} // namespace snapscope::mirror
