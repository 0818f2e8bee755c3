// Samples over a known layout: what each resolves to, and what is added up.
#include <snapscope/readers/hitm_report.hpp>
#include <snapscope/readers/line_tally.hpp>

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr std::uint64_t base = 0x7f0000000000;
constexpr std::uint64_t hitm_local = 0x629800842, hitm_remote = hitm_local | 1ULL << 37U;
constexpr std::uint64_t store_hit = 0x229080144, ram_hit = 0x1a49081042;

AddressMap map() {
    return AddressMap({{"PGXACT", base, 12, 100, known_fields("PGXACT"), true},
                       {"PGPROC", base + 4096, 856, 100, {}, true},
                       {"ProcArrayLock", base + 1280, 16, 1, known_fields("ProcArrayLock"), false}});
}

PerfSample at(std::uint64_t address, std::uint64_t data_src, std::uint32_t cpu = 0, std::uint32_t pid = 1) {
    PerfSample out;
    out.address = address;
    out.data_src = data_src;
    out.cpu = cpu;
    out.pid = pid;
    out.period = 100;
    return out;
}

TEST(AddressMap, EveryByteHasItsArrayEntryAndField) {
    const AddressMap all = map();
    for (std::uint64_t byte = 0; byte < 1200; ++byte) {
        const auto place = all.find(base + byte);
        ASSERT_TRUE(place);
        EXPECT_EQ(place->entry, byte / 12);
        EXPECT_EQ(place->offset, byte % 12);
    }
    EXPECT_EQ(all.field_text(*all.find(base + 37 * 12 + 5)), "PGXACT[37].xmin");
    EXPECT_EQ(all.field_text(*all.find(base + 4096 + 856 + 8)), "PGPROC[1]+8");
    EXPECT_EQ(all.field_text(*all.find(base + 1284)), "ProcArrayLock.state");
    EXPECT_EQ(all.line_text(base + 64), "PGXACT[5-10] line 1");
    EXPECT_EQ(all.line_text(base + 4096), "PGPROC[0] line 0");
    EXPECT_EQ(all.line_text(base + 1280), "ProcArrayLock line 0");
    EXPECT_FALSE(all.find(base + 1200));
    EXPECT_FALSE(all.find(base - 1));
    EXPECT_FALSE(all.find(0));
}

TEST(AddressMap, ArraysWithoutAPlaceAreLeftOut) {
    EXPECT_TRUE(
        AddressMap({{"a", 0, 8, 8, {}, false}, {"b", 64, 0, 8, {}, false}, {"c", UINT64_MAX - 8, 8, 8, {}, false}})
            .empty());
}

TEST(AddressMap, ReadsWhatLayoutPrints) {
    const auto read = read_layout(R"({"arrays":[{"name":"PGXACT","address":"0x1000","stride_bytes":12,"entries":10},
                                      {"name":"PGPROC","address":null,"stride_bytes":856,"entries":10}]})",
                                  "x.json");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->field_text(*read->find(4096 + 12)), "PGXACT[1].xid");
    for (const char* wrong : {"", "[]", "{}", R"({"arrays":[{"name":"PGXACT","stride_bytes":12,"entries":10}]})",
                              R"({"arrays":[{"name":"PGXACT","address":"4096","stride_bytes":12,"entries":10}]})",
                              R"({"arrays":[{"name":7,"address":"0x1000","stride_bytes":12,"entries":10}]})",
                              R"({"arrays":[{"name":"PGXACT","address":"0x1","stride_bytes":-12,"entries":10}]})"})
        EXPECT_FALSE(read_layout(wrong, "x.json")) << wrong;
}

TEST(LineTally, CountsByLineFieldAndCpu) {
    LineTally tally(map());
    EXPECT_EQ(tally.add(at(base + 4, hitm_remote, 3)), Counted::hitm_remote);
    EXPECT_EQ(tally.add(at(base + 5, hitm_local, 3)), Counted::hitm_local);
    EXPECT_EQ(tally.add(at(base + 8, store_hit, 1)), Counted::other);
    EXPECT_EQ(tally.add(at(base + 100'000, hitm_remote)), Counted::outside);
    EXPECT_EQ(tally.all().hitm_remote, 1U);
    EXPECT_EQ(tally.all().hitm_local, 1U);
    EXPECT_EQ(tally.all().stores, 1U);
    ASSERT_TRUE(tally.lines().contains(base));
    EXPECT_EQ(tally.lines().at(base).hitm(), 2U);
    EXPECT_EQ(tally.fields().at(base + 4).hitm(), 2U) << "two bytes of one field";
    EXPECT_EQ(tally.cpus().find(3)->hitm_local, 1U);
    EXPECT_EQ(tally.cpus().find(3)->hitm_remote, 1U);
    EXPECT_EQ(tally.cpus().find(1), nullptr) << "it read nothing";
}

TEST(LineTally, TheWriterIsTheLastStoreOrTheLinesOnlyOwner) {
    LineTally tally(map());
    tally.set_owner(0, 77);
    tally.add(at(base + 4096 + 64, hitm_remote, 3));
    tally.add(at(1, hitm_local, 5, 77)); // the owner was last seen on CPU 5
    tally.add(at(base + 4096 + 64, hitm_remote, 3));
    tally.add(at(base + 4096 + 64, store_hit, 6));
    tally.add(at(base + 4096 + 64, hitm_remote, 3));
    tally.add(at(base + 4, hitm_remote, 3)); // a line of several slots, no store seen
    using Pairs = std::map<std::pair<std::uint32_t, std::int64_t>, double>;
    Pairs pairs;
    for (const auto& [pair, estimate] : tally.pairs())
        pairs[{pair.reader, pair.writer ? std::int64_t{*pair.writer} : -1}] = estimate.events;
    EXPECT_EQ(pairs, (Pairs{{{3, -1}, 200}, {{3, 5}, 100}, {{3, 6}, 100}}));
}

TEST(LineTally, PeriodsAndRunningTimesScaleAndCarryTheirError) {
    LineTally tally(map());
    PerfSample half = at(base, hitm_remote);
    half.running = RunningTime{200, 100};
    for (int i = 0; i < 16; ++i)
        tally.add(half);
    EXPECT_DOUBLE_EQ(tally.all().remote.events, 16 * 200);
    EXPECT_DOUBLE_EQ(tally.all().remote.error(), 4 * 200);
    EXPECT_EQ(tally.worst_scale(), 2);
    PerfSample never = at(base, hitm_remote);
    never.running = RunningTime{200, 0};
    never.period = 0;
    tally.add(never);
    EXPECT_EQ(tally.without_period(), 1U);
}

TEST(LineTally, FalseSharingIsTwoEntriesOnOneLine) {
    LineTally tally(map());
    tally.add(at(base + 12 * 1, hitm_remote));
    EXPECT_TRUE(false_sharing(tally).empty()) << "read and written may be the same entry";
    tally.add(at(base + 12 * 1, store_hit));
    EXPECT_TRUE(false_sharing(tally).empty());
    tally.add(at(base + 12 * 2, store_hit));
    const auto named = false_sharing(tally);
    ASSERT_EQ(named.size(), 1U);
    EXPECT_EQ(named[0].text, "PGXACT[0-5] line 0: HITM loads of 1, stores of 1, 2");
    // The owner of an entry that nobody else writes, answered by another's write.
    LineTally own(map());
    own.set_owner(2, 9);
    own.add(at(base + 24, hitm_local, 0, 9));
    ASSERT_EQ(false_sharing(own).size(), 1U);
    EXPECT_THAT(false_sharing(own)[0].text, HasSubstr("1 by an entry's own backend"));
}

TEST(HitmReport, GroupsFollowTheTopologyAndWhatIsNotToldIsNamed) {
    LineTally tally(map());
    tally.set_nodes({0, 0, 1, 1});
    tally.add(at(base, store_hit, 0));
    tally.add(at(base, hitm_remote, 2));
    tally.add(at(base, hitm_local, 9)); // a CPU that the topology does not hold
    HitmContext context;
    context.cpus = {{0, 0, 0, 0, 0}, {1, 1, 0, 0, 0}, {2, 2, 1, 1, 1}, {3, 3, 1, 1, 1}};
    context.home = [](std::uint64_t) { return std::optional<std::uint32_t>(0); };
    snapscope::Run run;
    put_hitm(tally, context, run);
    const auto find = [&](const char* name, const char* by) {
        return *std::ranges::find_if(run.matrices, [&](const Matrix& m) { return m.name == name && m.by == by; });
    };
    const Matrix sockets = find("transfers", "socket");
    EXPECT_EQ(sockets.readers, (std::vector<std::string>{"1", "not told"}));
    EXPECT_EQ(sockets.writers, std::vector<std::string>{"0"});
    EXPECT_EQ(sockets.counts, (std::vector<double>{100, 100}));
    const Matrix homes = find("home_transfers", "node");
    EXPECT_EQ(homes.writers, std::vector<std::string>{"0"});
    EXPECT_EQ(find("hitm_samples", "socket").readers, (std::vector<std::string>{"1", "not told"}));
    EXPECT_THAT(run.warnings, Contains(HasSubstr("2 samples stand for 200 transfers")));
}

TEST(HitmReport, NoneReportedIsNullNotZero) {
    LineTally tally(map());
    for (int i = 0; i < 5; ++i)
        tally.add(at(base, ram_hit));
    EXPECT_TRUE(reports_no_hitm(tally));
    snapscope::Run run;
    put_hitm(tally, {}, run);
    EXPECT_TRUE(run.matrices.empty());
    for (const Total& total : run.totals)
        if (total.name.starts_with("hitm")) {
            EXPECT_FALSE(total.value) << total.name;
        }
}

} // namespace
} // namespace snapscope
