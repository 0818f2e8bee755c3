#include <snapscope/analyzer/layout.hpp>
#include <snapscope/analyzer/shmem_offsets.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using testing::ElementsAre;

ArrayPlace entries(std::uint64_t address, std::uint64_t count, std::uint64_t stride = 12) {
    return place_array("PGXACT", address, stride, count, std::nullopt);
}

std::vector<std::uint32_t> range(std::uint32_t from, std::uint32_t to) {
    std::vector<std::uint32_t> out;
    for (; from < to; ++from)
        out.push_back(from);
    return out;
}

TEST(Layout, TheFoundersTableOfActiveBlocks) {
    // 192 clients at the top of an array that begins on a line: 36 or 37 lines, whatever max_connections.
    for (std::uint32_t max_connections = 200; max_connections <= 1000; max_connections += 50) {
        const auto array = entries(1 << 20, max_connections + 26);
        const auto active = describe_slots(array, range(max_connections - 192, max_connections));
        const bool aligned = (max_connections - 192) * 12 % 64 == 0;
        EXPECT_EQ(active.lines, aligned ? 36U : 37U) << max_connections;
        EXPECT_EQ(active.first, max_connections - 192);
        EXPECT_EQ(active.last, max_connections - 1);
        EXPECT_LT(*active.scattered_fraction, 0.15) << "as dense as can be, but for where a line begins";
    }
}

TEST(Layout, TwentyFourOfAHundredNinetyTwoEntriesStraddle) {
    EXPECT_EQ(entries(0, 192).straddling_entries, 24U);
    EXPECT_EQ(entries(0, 192).lines, 36U);
    EXPECT_EQ(entries(32, 192).lines, 37U);
    EXPECT_EQ(entries(0, 192, 64).straddling_entries, 0U);
    EXPECT_EQ(entries(0, 192, 64).lines, 192U);
}

TEST(Layout, ScatteredSlotsAreToldFromDenseOnes) {
    const auto array = entries(4096, 1000);
    EXPECT_EQ(describe_slots(array, {}).scattered_fraction, std::nullopt);
    EXPECT_EQ(describe_slots(array, {7}).scattered_fraction, std::nullopt) << "one entry lies by itself";
    EXPECT_EQ(describe_slots(array, range(0, 16)).scattered_fraction, 0);
    std::vector<std::uint32_t> apart;
    for (std::uint32_t slot = 0; slot < 960; slot += 16)
        apart.push_back(slot); // 192 bytes: three lines further each
    const auto each = describe_slots(array, apart);
    EXPECT_EQ(each.scattered_fraction, 1);
    EXPECT_TRUE(each.shared_lines.empty());
    apart.push_back(1);
    EXPECT_LT(*describe_slots(array, apart).scattered_fraction, 1);
    EXPECT_EQ(describe_slots(array, {5, 5, 5000}).count, 1U) << "each once, and none outside";
}

TEST(Layout, SaysWhoSharesALineWithWhom) {
    const auto active = describe_slots(entries(0, 100), {0, 4, 5, 6, 20});
    ASSERT_EQ(active.shared_lines.size(), 2U);
    EXPECT_EQ(active.shared_lines[0].line, 0U);
    EXPECT_THAT(active.shared_lines[0].slots, ElementsAre(0, 4, 5)) << "5 begins at byte 60";
    EXPECT_THAT(active.shared_lines[1].slots, ElementsAre(5, 6)) << "and ends on the next";
    EXPECT_EQ(active.lines, 3U);
}

TEST(Layout, ComputedSizesFollowTheSettings) {
    ProcSettings settings;
    settings.max_connections = 1000;
    const auto report = compute_layout(settings);
    EXPECT_EQ(report.arrays[0].name, "PGXACT");
    EXPECT_EQ(report.arrays[0].entries, 1026U) << "MaxBackends is max_connections + 22, four auxiliary processes";
    EXPECT_EQ(report.arrays[0].address_mod_64, 0U);
    EXPECT_EQ(report.arrays[0].address, std::nullopt) << "no server runs";
    settings.max_prepared_transactions = 10;
    settings.max_wal_senders = 0;
    EXPECT_EQ(compute_layout(settings).arrays[0].entries, 1026U);
    EXPECT_EQ(compute_layout(settings).arrays[2].entries, 1022U);
    settings.max_connections = 262143;
    EXPECT_FALSE(check_settings(settings));
    settings.max_connections = 0;
    EXPECT_FALSE(check_settings(settings));
}

struct Point {
    std::uint32_t max_connections, residue;
    std::uint64_t active_residue, active_pages;
};

// Read from running servers of stock 13.16: where PGXACT and its topmost 192 entries lie in their page.
constexpr Point points[] = {
    {200, 640, 736, 1},   {250, 3840, 440, 1},   {300, 3328, 528, 1},  {350, 2432, 232, 1},  {400, 1664, 64, 1},
    {450, 896, 3992, 2},  {500, 384, 4080, 2},   {550, 3584, 3784, 2}, {600, 2944, 3744, 2}, {650, 2048, 3448, 2},
    {700, 1536, 3536, 2}, {750, 640, 3240, 2},   {800, 3968, 3072, 2}, {850, 3200, 2904, 2}, {900, 2688, 2992, 2},
    {950, 1792, 2696, 2}, {1000, 1152, 2656, 2},
};

TEST(Layout, ComputedPlacesAreThoseOfRunningServers) {
    for (const Point& point : points) {
        ProcSettings settings;
        settings.max_connections = point.max_connections;
        const std::uint64_t pgxact = shmem_offsets_13(settings).pgxact;
        EXPECT_EQ(pgxact % 4096, point.residue) << point.max_connections;
        const std::uint64_t active = pgxact + 12 * (point.max_connections - 192U);
        EXPECT_EQ(active % 4096, point.active_residue) << point.max_connections;
        EXPECT_EQ((active % 4096 + 12 * 192 - 1) / 4096 + 1, point.active_pages) << point.max_connections;
    }
}

TEST(Layout, ThePadMovesThePlacesAndTheCopyDoesNot) {
    ProcSettings settings;
    const auto plain = shmem_offsets_13(settings);
    settings.snapshot_layout_pad_kib = 192;
    EXPECT_EQ(shmem_offsets_13(settings).pgxact, plain.pgxact + 192 * 1024);
    settings.snapshot_layout_pad_kib = 0;
    settings.snapshot_copy = true;
    EXPECT_EQ(shmem_offsets_13(settings).pgxact, plain.pgxact);
    EXPECT_FALSE(plain.snapshot_copy);
    EXPECT_EQ(*shmem_offsets_13(settings).snapshot_copy % 128, 0U);
}

TEST(Layout, PagesAreCountedFromTheAddress) {
    EXPECT_EQ(entries(4096, 300).pages, 1U);
    EXPECT_EQ(entries(4096 + 640, 300).pages, 2U);
    EXPECT_EQ(place_array("x", 0x40000000, 12, 1'000'000, 2 << 20).pages, 6U);
}

TEST(Layout, JsonHasTheNamesOfTheContract) {
    auto report = compute_layout(ProcSettings{});
    auto json = to_json(report);
    EXPECT_EQ(json["schema_version"], 1);
    for (const char* name : {"name", "address", "address_mod_64", "stride_bytes", "entries", "lines",
                             "straddling_entries", "pages", "numa_nodes"})
        EXPECT_TRUE(json["arrays"][0].contains(name)) << name;
    EXPECT_TRUE(json["arrays"][0]["address"].is_null());
    EXPECT_TRUE(json["active_slots"].is_null()) << "nobody runs: not zero";
    report.active = describe_slots(entries(0x1000, 100), {3, 4});
    json = to_json(report);
    EXPECT_EQ(json["active_slots"]["count"], 2);
    EXPECT_EQ(json["active_slots"]["lines"], 1);
    EXPECT_EQ(json["active_slots"]["first"], 3);
    EXPECT_EQ(json["active_slots"]["last"], 4);
    EXPECT_EQ(json["active_slots"]["scattered_fraction"], 0);
    EXPECT_EQ(json["active_slots"]["shared_lines"][0]["slots"], nlohmann::ordered_json({3, 4}));
}

TEST(Layout, ARunSaysWhatItsRecorderSawOfThePages) {
    snapscope::Run run;
    run.layout.arrays = {{"PGXACT", 0x7f0000200040, 12, 1000, 0, 0}};
    run.layout.memory = MemoryPlacement{0x7f0000000000,
                                        4096,
                                        "default",
                                        "0",
                                        "never",
                                        {{"PGXACT", 0x7f0000200000, 5, 0},
                                         {"PGXACT", 0x7f0000201000, 6, 1},
                                         {"PGXACT", 0x7f0000202000, std::nullopt, std::nullopt}},
                                        {}};
    const auto report = layout_of_run(run, "/nonexistent").value();
    const ArrayPlace& pgxact = report.arrays.front();
    EXPECT_EQ(pgxact.segment_offset, 0x200040U);
    EXPECT_EQ(pgxact.page_bytes, 4096U);
    EXPECT_EQ(pgxact.numa_nodes, (std::map<std::string, std::uint64_t>{{"0", 1}, {"1", 1}, {"absent", 1}}));
    EXPECT_TRUE(report.notes.empty());

    for (HotPage& page : run.layout.memory->pages)
        page.node.reset();
    run.layout.memory->page_bytes.reset();
    run.layout.memory->notes = {"NUMA nodes: not permitted"};
    const auto less = layout_of_run(run, "/nonexistent").value();
    EXPECT_FALSE(less.arrays.front().numa_nodes) << "not known is not absent";
    EXPECT_EQ(less.notes.size(), 2U);
}

TEST(Layout, ARunWithoutTheArrayIsRefused) {
    snapscope::Run run;
    EXPECT_FALSE(layout_of_run(run, "/nonexistent"));
    run.layout.arrays = {{"PGXACT", 0x1000, 12, 100, 0, 0}};
    run.slots.resize(2);
    run.slots[0].slot = 3;
    run.slots[0].pid = 1;
    run.slots[1].slot = 4;
    const auto report = layout_of_run(run, "/nonexistent").value();
    EXPECT_EQ(report.active->count, 1U);
    EXPECT_FALSE(report.churn) << "nobody recorded who came and went";
    run.layout.arrays[0].entries = ~std::uint64_t{0};
    EXPECT_FALSE(layout_of_run(run, "/nonexistent"));
}

} // namespace
} // namespace snapscope
