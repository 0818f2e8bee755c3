// Writers killed at any moment: what was acknowledged is there, nothing twice.
#include "synthetic_fleet.hpp"

#include <snapscope/fleet/lake.hpp>
#include <snapscope/lab/process.hpp>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <string>
#include <string_view>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t hosts = 4, runs_a_host = 100, windows = 5, series = 5;

Result<Process> start(const fs::path& lake, std::uint64_t seed) {
    Command command;
    command.argv = {SNAPSCOPE_FLEET_WRITER,      lake.string(),           std::to_string(hosts),
                    std::to_string(runs_a_host), std::to_string(windows), std::to_string(seed)};
    command.output = Command::Output::apart;
    return Process::start(std::move(command));
}

// Of the last "acknowledged N".
std::size_t acknowledged_by(const Process& writer) {
    constexpr std::string_view word = "acknowledged ";
    const std::string& text = writer.output();
    const auto last = text.rfind(word);
    return last == std::string::npos ? 0 : std::strtoul(text.c_str() + last + word.size(), nullptr, 10);
}

std::string one(LakeReader& lake, const std::string& sql) {
    const auto rows = lake.select(sql);
    if (!rows)
        return rows.error().message();
    return rows->rows.size() == 1 ? rows->rows[0].at(0).value_or("NULL") : "not one row";
}

TEST(Lake, StandsKilledWriters) {
    const char* given = std::getenv("KILLS");
    const int kills = given ? std::atoi(given) : 10;
    const fs::path lake = fs::temp_directory_path() / ("snapscope-kills-" + std::to_string(::getpid()));
    fs::remove_all(lake);
    {
        const auto writer = LakeWriter::open(lake, {}, [] {});
        if (!writer && writer.error().error_class == ErrorClass::unavailable)
            GTEST_SKIP() << "SKIPPED: " << writer.error().message();
        ASSERT_TRUE(writer) << writer.error().message();
    }
    // How long one takes here, undisturbed: kills fall anywhere into that.
    const auto begin = std::chrono::steady_clock::now();
    auto first = start(lake, std::uint64_t{1} << 32U);
    ASSERT_TRUE(first) << first.error().message();
    ASSERT_EQ(first->wait_for(std::chrono::minutes(5)), 0) << first->errors();
    const auto whole =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();

    std::mt19937 random(3);
    std::vector<std::size_t> acknowledged(static_cast<std::size_t>(kills));
    int killed = 0, completed = 0;
    for (int i = 0; i < kills; ++i) {
        // The same runs are offered twice, so that a second attempt meets what a first one left.
        const auto seed = static_cast<std::uint64_t>(i / 2);
        auto writer = start(lake, seed);
        ASSERT_TRUE(writer) << writer.error().message();
        const auto after = std::chrono::milliseconds(std::uniform_int_distribution<long>(0, whole)(random));
        auto status = writer->wait_for(after);
        if (!status) // SIGKILL at once, and what it printed before
            status = writer->stop(SIGKILL, std::chrono::minutes(1));
        auto& known = acknowledged[static_cast<std::size_t>(seed)];
        known = std::max(known, acknowledged_by(*writer));
        killed += *status == 128 + SIGKILL;
        completed += *status == 0;
        ASSERT_TRUE(*status == 128 + SIGKILL || *status == 0) << "writer " << i << ": " << writer->errors();
    }
    RecordProperty("killed", killed);
    const std::size_t sure = std::accumulate(acknowledged.begin(), acknowledged.end(), std::size_t{0});
    std::printf("%d killed, %d were faster, %zu runs acknowledged\n", killed, completed, sure);
    EXPECT_GT(killed, 0);
    EXPECT_GT(sure, 0u);

    // Beside it, one more writer that waits for its turn and compacts.
    auto writer = LakeWriter::open(lake, {}, [] {});
    ASSERT_TRUE(writer) << writer.error().message();
    const auto check = [&] {
        auto reader = LakeReader::open(lake, {});
        ASSERT_TRUE(reader) << reader.error().message();
        EXPECT_EQ(one(*reader, "SELECT count(*) - count(DISTINCT run_id) FROM runs"), "0");
        for (const char* table : {"windows", "slots", "histograms", "metrics", "sources", "transfers", "lines"})
            EXPECT_EQ(one(*reader,
                          std::string("SELECT count(*) FROM (SELECT run_id FROM ") + table +
                              " GROUP BY run_id HAVING count(*) <> (SELECT median(n) FROM (SELECT count(*) AS n FROM " +
                              table + " GROUP BY run_id)))"),
                      "0")
                << table;
        EXPECT_EQ(one(*reader, "SELECT count(*) - " + std::to_string(windows * series) +
                                   " * (SELECT count(*) FROM runs) FROM windows"),
                  "0");
        for (std::size_t seed = 0; seed < acknowledged.size(); ++seed) {
            if (acknowledged[seed] == 0)
                continue;
            FleetShape shape;
            shape.seed = seed;
            shape.hosts = hosts;
            shape.runs_a_host = runs_a_host;
            shape.windows = windows;
            const auto last = static_cast<std::uint32_t>(acknowledged[seed] - 1);
            std::string missing = "SELECT count(*) FROM runs WHERE starts_with(run_id, '" +
                                  synthetic_run(shape, 0, 0).id.substr(0, 16) + "')";
            EXPECT_GE(std::stoul(one(*reader, missing)), acknowledged[seed]) << seed;
            EXPECT_EQ(one(*reader, "SELECT count(*) FROM runs WHERE run_id = '" +
                                       synthetic_run(shape, last / runs_a_host, last % runs_a_host).id + "'"),
                      "1");
        }
    };
    check();
    const auto compacted = writer->compact();
    ASSERT_TRUE(compacted) << compacted.error().message();
    check();
    fs::remove_all(lake);
}

} // namespace
} // namespace snapscope
