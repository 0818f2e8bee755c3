// Writers killed at any moment: what was acknowledged is there, nothing twice.
#include "synthetic_fleet.hpp"

#include <snapscope/fleet/lake.hpp>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <spawn.h>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

constexpr std::uint32_t hosts = 4, runs_a_host = 100, windows = 5, series = 5;

struct Writer {
    pid_t pid = -1;
    int output = -1;
};

Writer start(const fs::path& lake, std::uint64_t seed) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0)
        return {};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, ends[0]);
    const std::string folder = lake.string(), seed_text = std::to_string(seed), host_text = std::to_string(hosts),
                      runs_text = std::to_string(runs_a_host), window_text = std::to_string(windows);
    std::array<char*, 7> arguments{const_cast<char*>(SNAPSCOPE_FLEET_WRITER), // NOLINT: posix_spawn does not write
                                   const_cast<char*>(folder.c_str()),         // NOLINT
                                   const_cast<char*>(host_text.c_str()),      // NOLINT
                                   const_cast<char*>(runs_text.c_str()),      // NOLINT
                                   const_cast<char*>(window_text.c_str()),    // NOLINT
                                   const_cast<char*>(seed_text.c_str()),      // NOLINT
                                   nullptr};
    Writer writer{-1, ends[0]};
    if (::posix_spawn(&writer.pid, SNAPSCOPE_FLEET_WRITER, &actions, nullptr, arguments.data(), environ) != 0)
        writer.pid = -1;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    return writer;
}

// Ends it after so long; the last "acknowledged N", and how it ended.
std::size_t end(const Writer& writer, std::chrono::milliseconds after, int& status) {
    std::this_thread::sleep_for(after);
    ::kill(writer.pid, SIGKILL);
    ::waitpid(writer.pid, &status, 0);
    std::string text;
    std::array<char, 4096> piece{};
    for (ssize_t size = 0; (size = ::read(writer.output, piece.data(), piece.size())) > 0;)
        text.append(piece.data(), static_cast<std::size_t>(size));
    ::close(writer.output);
    const auto last = text.rfind("acknowledged ");
    return last == std::string::npos ? 0 : std::strtoul(text.c_str() + last + 13, nullptr, 10);
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
    const Writer first = start(lake, std::uint64_t{1} << 32U);
    int first_status = 0;
    ::waitpid(first.pid, &first_status, 0);
    ::close(first.output);
    ASSERT_TRUE(WIFEXITED(first_status) && WEXITSTATUS(first_status) == 0);
    const auto whole =
        std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now() - begin).count();

    std::mt19937 random(3);
    std::vector<std::size_t> acknowledged(static_cast<std::size_t>(kills));
    int killed = 0, completed = 0;
    for (int i = 0; i < kills; ++i) {
        // The same runs are offered twice, so that a second attempt meets what a first one left.
        const auto seed = static_cast<std::uint64_t>(i / 2);
        int status = 0;
        const Writer writer = start(lake, seed);
        ASSERT_GT(writer.pid, 0);
        const auto after = std::chrono::milliseconds(std::uniform_int_distribution<long>(0, whole)(random));
        auto& known = acknowledged[static_cast<std::size_t>(seed)];
        known = std::max(known, end(writer, after, status));
        killed += WIFSIGNALED(status);
        completed += WIFEXITED(status) && WEXITSTATUS(status) == 0;
        ASSERT_TRUE(WIFSIGNALED(status) || WEXITSTATUS(status) == 0) << "writer " << i << " failed by itself";
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
