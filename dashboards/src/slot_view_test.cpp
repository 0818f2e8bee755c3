#include "slot_view.hpp"

#include <gtest/gtest.h>

namespace snapscope {
namespace {

Array pgxact(std::uint64_t address) {
    return {"PGXACT", address, 12, 1000, 0, 0};
}

TEST(SlotMap, AnEntryLiesOnTheLinesOfItsFirstAndLastByte) {
    const Array aligned = pgxact(0x1000);
    EXPECT_EQ(lines_of(aligned, 0).last, 0U);
    EXPECT_EQ(lines_of(aligned, 4).last, 0U) << "bytes 48 to 59";
    EXPECT_EQ(lines_of(aligned, 5).first, 0U) << "bytes 60 to 71 straddle";
    EXPECT_EQ(lines_of(aligned, 5).last, 1U);
    const Array shifted = pgxact(0x1000 + 56);
    EXPECT_EQ(lines_of(shifted, 0).first, 0U) << "bytes 56 to 67";
    EXPECT_EQ(lines_of(shifted, 0).last, 1U);
}

TEST(SlotMap, OnlyAnArrayInSlotOrderHasPlaces) {
    snapscope::Run run;
    run.layout.arrays = {{"xids", 0x1000, 4, 1000, 63, 0}};
    EXPECT_EQ(slot_array(run), nullptr) << "from 14 on entries move";
    run.layout.arrays.push_back(pgxact(0x1000));
    ASSERT_NE(slot_array(run), nullptr);
    EXPECT_EQ(slot_array(run)->name, "PGXACT");
    run.layout.arrays.back().stride_bytes = 0;
    EXPECT_EQ(slot_array(run), nullptr);
}

} // namespace
} // namespace snapscope
