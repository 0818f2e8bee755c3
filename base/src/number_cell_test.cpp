#include <snapscope/base/number_cell.hpp>

#include <gtest/gtest.h>

namespace snapscope {
namespace {

TEST(NumberCell, OnlyAPlainNumberIsOne) {
    EXPECT_EQ(read_number(" 1092043.5 ").value, 1092043.5);
    EXPECT_EQ(read_number("-1.00").value, -1);
    for (const char* cell : {"", "  ", "\t"})
        EXPECT_EQ(read_number(cell).kind, CellKind::blank) << cell;
    for (const char* cell : {"nan", "NaN", "-nan", "inf", "N/A", "null", "-"})
        EXPECT_EQ(read_number(cell).kind, CellKind::no_number) << cell;
    for (const char* cell : {"1.092.043", "1,092,043", "1092,5", "1 092",
                             "1\xc2\xa0"
                             "092",
                             "1'092", "3%", "+5"})
        EXPECT_EQ(read_number(cell).kind, CellKind::localised) << cell;
    for (const char* cell : {"fast", "17 M", "0x10", "1e5x", "12ms"})
        EXPECT_EQ(read_number(cell).kind, CellKind::word) << cell;
}

} // namespace
} // namespace snapscope
