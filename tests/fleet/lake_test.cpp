// A lake written, read, damaged and read again.
#include "synthetic_fleet.hpp"

#include <snapscope/fleet/lake.hpp>
#include <snapscope/fleet/outliers.hpp>
#include <snapscope/fleet/trend.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

class Lake : public testing::Test {
  protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("snapscope-lake'[x] " + std::to_string(::getpid()));
        fs::remove_all(folder_);
        const auto lake = writer();
        if (!lake && lake.error().error_class == ErrorClass::unavailable)
            GTEST_SKIP() << lake.error().message();
        ASSERT_TRUE(lake) << lake.error().message();
    }
    void TearDown() override { fs::remove_all(folder_); }

    [[nodiscard]] Result<LakeWriter> writer() const {
        return LakeWriter::open(folder_, {}, [] {});
    }

    void write(const FleetShape& shape) {
        auto lake = writer();
        ASSERT_TRUE(lake) << lake.error().message();
        for (std::uint32_t host = 0; host < shape.hosts; ++host)
            for (std::uint32_t night = 0; night < shape.runs_a_host; ++night) {
                const auto added = lake->add(synthetic_run(shape, host, night));
                ASSERT_TRUE(added) << added.error().message();
            }
        const auto done = lake->commit();
        ASSERT_TRUE(done) << done.error().message();
    }

    [[nodiscard]] std::string one(const std::string& sql) const {
        auto lake = LakeReader::open(folder_, {});
        if (!lake)
            return lake.error().message();
        const auto rows = lake->select(sql);
        if (!rows)
            return rows.error().message();
        if (rows->rows.size() != 1)
            return std::to_string(rows->rows.size()) + " rows";
        return rows->rows[0].at(0).value_or("NULL");
    }

    [[nodiscard]] std::size_t parquet_files() const {
        std::size_t files = 0;
        for (const auto& entry : fs::recursive_directory_iterator(folder_))
            files += entry.path().extension() == ".parquet";
        return files;
    }

    [[nodiscard]] std::set<fs::path> run_files() const {
        std::set<fs::path> files;
        for (const auto& entry : fs::recursive_directory_iterator(folder_ / "runs"))
            if (entry.path().extension() == ".parquet")
                files.insert(entry.path());
        return files;
    }

    fs::path folder_;
};

FleetShape small() {
    FleetShape shape;
    shape.hosts = 3;
    shape.runs_a_host = 40; // two months
    shape.windows = 5;
    return shape;
}

TEST_F(Lake, HoldsWhatTheRunsSay) {
    write(small());
    EXPECT_EQ(one("SELECT count(*) FROM runs"), "120");
    EXPECT_EQ(one("SELECT count(DISTINCT month) FROM runs"), "2");
    EXPECT_EQ(one("SELECT count(*) FROM windows"), std::to_string(120 * 5 * 5));
    EXPECT_EQ(one("SELECT count(*) FROM slots"), std::to_string(120 * 8));
    EXPECT_EQ(one("SELECT sum(snapshots_taken) FROM runs"), "12000000");
    EXPECT_EQ(one("SELECT min(start_time) FROM runs WHERE host = 'db001'"), "2026-01-01 00:00:01");
    EXPECT_EQ(one("SELECT first_byte_in_line FROM lines LIMIT 1"), "16");
    const snapscope::Run run = synthetic_run(small(), 1, 7);
    std::uint64_t counted = 0;
    for (const std::uint64_t count : run.histograms[0].counts)
        counted += count;
    EXPECT_EQ(one("SELECT sum(count) FROM histograms WHERE run_id = '" + run.id + "'"), std::to_string(counted));
    EXPECT_EQ(one("SELECT sum(value) FROM windows WHERE name = 'invalidations' AND run_id = '" + run.id + "'"),
              std::to_string(static_cast<long>(*run.windows.series[4].values[0] + *run.windows.series[4].values[1] +
                                               *run.windows.series[4].values[2] + *run.windows.series[4].values[3] +
                                               *run.windows.series[4].values[4])) +
                  ".0");
}

TEST_F(Lake, TakesARunOnce) {
    write(small());
    write(small());
    auto lake = writer();
    ASSERT_TRUE(lake);
    const auto again = lake->add(synthetic_run(small(), 0, 0));
    ASSERT_TRUE(again);
    EXPECT_EQ(*again, Ingested::known);
    EXPECT_EQ(one("SELECT count(*) FROM runs"), "120");
}

TEST_F(Lake, RowsWithoutTheirRunAreNotSeenAndGo) {
    write(small());
    const std::size_t files = parquet_files();
    // As a writer leaves it that was killed before its rows in `runs`.
    const std::set<fs::path> kept = run_files();
    FleetShape other = small();
    other.seed = 2;
    write(other);
    for (const fs::path& file : run_files())
        if (!kept.contains(file))
            fs::remove(file);
    EXPECT_GT(parquet_files(), files);
    EXPECT_EQ(one("SELECT count(*) FROM runs"), "120");
    EXPECT_EQ(one("SELECT count(*) FROM windows"), std::to_string(120 * 5 * 5));
    { ASSERT_TRUE(writer()); }
    EXPECT_EQ(parquet_files(), files);
}

TEST_F(Lake, CompactChangesFilesAndNothingElse) {
    for (const std::uint64_t seed : {1u, 2u, 3u, 4u}) {
        FleetShape shape = small();
        shape.seed = seed;
        write(shape);
    }
    const char* const everything = "SELECT count(*) || ' ' || sum(hash(w)::HUGEINT) FROM windows w";
    const char* const runs = "SELECT count(*) || ' ' || sum(hash(r)::HUGEINT) FROM runs r";
    const std::string windows_before = one(everything), runs_before = one(runs);
    {
        auto lake = writer();
        ASSERT_TRUE(lake);
        const auto result = lake->compact();
        ASSERT_TRUE(result) << result.error().message();
        EXPECT_EQ(result->files_before, parquet_files() * 4);
        EXPECT_EQ(result->files_after, parquet_files());
    }
    EXPECT_EQ(one(everything), windows_before);
    EXPECT_EQ(one(runs), runs_before);
    write(small()); // known runs stay known
    EXPECT_EQ(one("SELECT count(*) FROM runs"), "480");
}

// The files of `runs` are merged then, and those of the others still have their ingests' names.
TEST_F(Lake, ACompactThatWasKilledAfterItsFirstTableLosesNothing) {
    write(small());
    FleetShape other = small();
    other.seed = 2;
    write(other);
    const fs::path kept = folder_.string() + ".kept";
    fs::remove_all(kept);
    fs::copy(folder_ / "windows", kept, fs::copy_options::recursive);
    {
        auto lake = writer();
        ASSERT_TRUE(lake);
        ASSERT_TRUE(lake->compact());
    }
    fs::remove_all(folder_ / "windows");
    fs::rename(kept, folder_ / "windows");
    const std::string rows = std::to_string(2 * 120 * 5 * 5);
    EXPECT_EQ(one("SELECT count(*) FROM windows"), rows);
    { ASSERT_TRUE(writer()); } // removes what killed writers left
    EXPECT_EQ(one("SELECT count(*) FROM windows"), rows);
}

TEST_F(Lake, IsNotMadeInAFolderOfOtherThings) {
    fs::remove_all(folder_);
    fs::create_directory(folder_);
    std::ofstream(folder_ / "letter.txt") << "dear";
    const auto lake = writer();
    ASSERT_FALSE(lake);
    EXPECT_THAT(lake.error().message(), testing::HasSubstr("is not empty and no lake"));
    EXPECT_FALSE(fs::exists(folder_ / "lake.json"));
}

TEST_F(Lake, QueriesReadTheLakeAlone) {
    write(small());
    EXPECT_THAT(one("SELECT * FROM read_csv('/etc/passwd')"), testing::HasSubstr("Permission Error"));
    EXPECT_THAT(one("COPY runs TO '/tmp/x.csv'"), testing::HasSubstr("no single query"));
    EXPECT_THAT(one("SELECT 1) ; DROP VIEW runs ; SELECT (1"), testing::HasSubstr("no single query"));
    EXPECT_THAT(one("SELECT 1; SELECT 2"), testing::HasSubstr("no single query"));
    EXPECT_THAT(one("SELECT nothing FROM runs"), testing::HasSubstr("nothing"));
    EXPECT_EQ(one("SELECT 1 ;\n"), "1");
    EXPECT_EQ(one("SELECT 1 -- a comment"), "1");
}

TEST_F(Lake, AnEmptyOneAnswersWithNoRows) {
    EXPECT_EQ(one("SELECT count(*) FROM runs"), "0");
    EXPECT_EQ(one("SELECT count(*) FROM windows WHERE value > 1"), "0");
}

FleetShape fleet(std::uint32_t odd_every, std::uint32_t changing_every, std::uint64_t seed) {
    FleetShape shape;
    shape.hosts = 60;
    shape.runs_a_host = 30;
    shape.windows = 1;
    shape.seed = seed;
    shape.odd_every = odd_every;
    shape.changing_every = changing_every;
    return shape;
}

TEST_F(Lake, WhatWasPlantedIsFound) {
    const FleetShape shape = fleet(20, 15, 11);
    write(shape);
    auto lake = LakeReader::open(folder_, {});
    ASSERT_TRUE(lake);
    std::set<std::string> odd, changing, found_odd, found_changing;
    for (std::uint32_t host = 0; host < shape.hosts; ++host) {
        if (is_odd(shape, host))
            odd.insert(host_name(host));
        if (is_changing(shape, host))
            changing.insert(host_name(host));
    }
    const auto trends = trend(*lake, {});
    ASSERT_TRUE(trends) << trends.error().message();
    EXPECT_EQ(trends->runs, 1800u);
    for (const TrendSeries& series : trends->series)
        if (series.levels.size() > 1) {
            found_changing.insert(series.host);
            EXPECT_NEAR(series.levels[1].median / series.levels[0].median, 1.2, 0.08) << series.host;
            EXPECT_NEAR(static_cast<double>(series.levels[0].runs), 15, 2) << series.host;
        }
    EXPECT_EQ(found_changing, changing);
    const auto groups = outliers(*lake);
    ASSERT_TRUE(groups) << groups.error().message();
    for (const OutlierGroup& group : *groups) {
        found_odd.clear();
        for (const Outlier& outlier : group.outliers)
            found_odd.insert(outlier.host);
        EXPECT_EQ(found_odd, odd) << group.metric;
    }
    EXPECT_EQ(groups->size(), 2u); // snapshot_ns and transfers_per_snapshot
}

TEST_F(Lake, WhereNothingWasPlantedNothingIsFound) {
    write(fleet(0, 0, 12));
    auto lake = LakeReader::open(folder_, {});
    ASSERT_TRUE(lake);
    const auto trends = trend(*lake, {});
    ASSERT_TRUE(trends);
    EXPECT_EQ(trends->series.size(), 60u);
    for (const TrendSeries& series : trends->series)
        EXPECT_EQ(series.levels.size(), 1u) << series.host;
    const auto groups = outliers(*lake);
    ASSERT_TRUE(groups);
    for (const OutlierGroup& group : *groups) {
        EXPECT_TRUE(group.judged) << group.metric;
        EXPECT_TRUE(group.outliers.empty()) << group.metric << ' ' << group.outliers[0].host;
    }
}

} // namespace
} // namespace snapscope
