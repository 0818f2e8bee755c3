#include "tables.hpp"

#include <snapscope/base/files.hpp>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

// The document's tables are written from these; what is missing is printed as it should stand.
TEST(LakeTables, AreThoseOfTheDocument) {
    const auto document = read_file(SNAPSCOPE_SOURCE_DIR "/docs/lake.md", 1 << 20);
    ASSERT_TRUE(document) << document.error().message();
    for (const LakeTable& table : lake_tables()) {
        const std::string heading = fmt::format("## `{}`: {}\n", table.name, table.meaning);
        EXPECT_NE(document->find(heading), std::string::npos) << heading;
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            if (i < shared_columns)
                continue;
            const Column& column = table.columns[i];
            const std::string row =
                fmt::format("| `{}` | {} | {} | {} |\n", column.name, column.type, column.unit, column.meaning);
            const auto at = document->find(heading);
            const auto end = document->find("\n## ", at + 1);
            EXPECT_NE(document->substr(at, end - at).find(row), std::string::npos) << table.name << ": " << row;
        }
    }
}

TEST(LakeTables, BeginAlikeAndWithRuns) {
    EXPECT_STREQ(lake_tables().front().name, "runs");
    for (const LakeTable& table : lake_tables()) {
        EXPECT_STREQ(table.columns[0].name, "run_id");
        EXPECT_STREQ(table.columns[1].name, "ingest");
        EXPECT_STREQ(table.columns[2].name, "host");
    }
}

} // namespace
} // namespace snapscope
