#include "stock_server.hpp"

#include "remains.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/capabilities.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <watch_source.hpp>

namespace snapscope::test {

using namespace std::chrono_literals;

void StockTest::SetUp() {
    prefix_ = server_prefix(GetParam());
    if (prefix_.empty())
        GTEST_SKIP() << GetParam() << " is not here (SNAPSCOPE_PG_UNPATCHED_PREFIX, SNAPSCOPE_PG_DEBIAN15_PREFIX)";
    if (const auto missing = missing_for_bpf(); missing || ::geteuid() != 0)
        GTEST_SKIP() << "looks into another account's server: needs root with CAP_BPF and CAP_PERFMON";
    auto folder = ScratchFolder::create();
    ASSERT_TRUE(folder) << folder.error().message();
    scratch_ = std::make_unique<ScratchFolder>(std::move(*folder));
    prefix_ = install(prefix_);
    ClusterOptions options;
    options.prefix = prefix_;
    // Nobody but the test takes snapshots.
    options.settings = {{"autovacuum", "off"}, {"max_logical_replication_workers", "0"}, {"max_connections", "20"}};
    auto started = Cluster::start(options);
    ASSERT_TRUE(started) << started.error().message();
    cluster_ = std::make_unique<Cluster>(std::move(*started));
}

std::vector<std::string> StockTest::session_of(const std::string& line, int times) {
    const auto script = scratch() / fmt::format("session-{}.sql", ++runs_);
    std::ofstream file(script);
    for (int i = 0; i < times; ++i)
        file << line << '\n';
    file.close();
    std::filesystem::permissions(script, std::filesystem::perms(0644));
    return {program("psql"), "-X", "-q", "-o", "/dev/null", "-f", script.string()};
}

snapscope::Run StockTest::record(const std::string& line, int times, const std::vector<std::string>& more) {
    const auto load = session_of(line, times);
    const auto folder = scratch() / fmt::format("run-{}.snap", runs_);
    std::vector<std::string> argv{SNAPSCOPE_PROGRAM, "record", "--pid",        std::to_string(cluster().pid()),
                                  "--yes",           "-o",     folder.string()};
    if (more.empty())
        argv.insert(argv.end(), {"--source", "ebpf", "--overhead", "100%"});
    argv.insert(argv.end(), more.begin(), more.end());
    argv.emplace_back("--");
    argv.insert(argv.end(), load.begin(), load.end());
    auto result = run_program(cluster(), std::move(argv));
    status_ = result.status;
    output_ = std::move(result.output);
    auto run = read_run(folder);
    EXPECT_TRUE(run) << output_;
    return run ? std::move(*run) : snapscope::Run{};
}

std::optional<std::int64_t> total(const Run& run, const std::string& name, const std::string& source) {
    for (const auto& total : run.totals)
        if (total.source == source && total.name == name)
            return total.value;
    return std::nullopt;
}

const SourceStatus& source_of(const Run& run, const std::string& name) {
    for (const auto& status : run.sources)
        if (status.name == name)
            return status;
    static const SourceStatus none;
    ADD_FAILURE() << "the run has no source " << name;
    return none;
}

ServerWords words_of(const Cluster& cluster) {
    const auto words = find_words(ProcFs(), cluster.pid(), nullptr);
    EXPECT_TRUE(words) << words.error().message();
    return words ? *words : ServerWords{};
}

void expect_nothing_left(Session& session, int seconds) {
    EXPECT_TRUE(within_seconds(seconds, [&] {
        session.run("SELECT 1");
        const auto now = remains_in(session.pid());
        return now && now->none();
    })) << "a breakpoint or a semaphore is left";
    const auto free = debug_registers_are_free();
    EXPECT_TRUE(free) << free.error().message();
    EXPECT_EQ(session.number("SELECT 2"), 2) << "the server goes on";
}

} // namespace snapscope::test
