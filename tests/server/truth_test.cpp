// The model against the processor: sessions run known statements while hardware
// watchpoints count every access to a word of theirs, and the model of the events
// of the same recording says how many there were.

#include "meanwhile.hpp"

#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

namespace snapscope::test {
namespace {

using nlohmann::json;

constexpr int rounds = 60;
constexpr double tolerance = 0.05;

struct Accesses {
    double reads = 0, writes = 0;
};
using ByWord = std::map<std::string, Accesses>;

ByWord watched(const snapscope::Run& run) {
    ByWord words;
    const auto add = [&](const char* name, double Accesses::*field) {
        const auto matrix = std::ranges::find(run.matrices, name, &Matrix::name);
        ASSERT_NE(matrix, run.matrices.end()) << name;
        for (std::size_t i = 0; i < matrix->counts.size(); ++i)
            words[matrix->writers[i % matrix->writers.size()]].*field += matrix->counts[i];
    };
    add("word_reads", &Accesses::reads);
    add("word_writes", &Accesses::writes);
    return words;
}

ByWord modelled(const json& simulation) {
    ByWord words;
    for (const auto& word : simulation["by_word"])
        words[word["word"]] = {word["reads"], word["writes"]};
    return words;
}

class TruthTest : public ServerTest {
  protected:
    void SetUp() override {
        ServerTest::SetUp();
        if (IsSkipped())
            return;
        // Nobody but the sessions takes snapshots, and none is taken twice for verification.
        start({{"max_connections", "50"},
               {"snapshot_event_ring_size", "8MB"},
               {"snapshot_cache_verify", "off"},
               {"max_logical_replication_workers", "0"},
               {"checkpoint_timeout", "1h"}});
        auto scratch = ScratchFolder::create();
        ASSERT_TRUE(scratch) << scratch.error().message();
        scratch_ = std::make_unique<ScratchFolder>(std::move(*scratch));
        Session first(cluster());
        first.run("CREATE TABLE t (k int PRIMARY KEY, v int)");
        first.run("INSERT INTO t SELECT i, 0 FROM generate_series(0, 3) i");
        for (int i = 0; i < 4; ++i) {
            sessions_.push_back(std::make_unique<Session>(cluster()));
            slots_.push_back(
                sessions_.back()->number("SELECT slot FROM pg_stat_snapshot_cache WHERE pid = pg_backend_pid()"));
            work(i, 5); // fills its caches
        }
    }

    // Each statement a transaction, and some together.
    void work(int session, int times) {
        Session& own = *sessions_[static_cast<std::size_t>(session)];
        const auto select = fmt::format("SELECT v FROM t WHERE k = {}", session);
        const auto update = fmt::format("UPDATE t SET v = v + 1 WHERE k = {}", session);
        for (int i = 0; i < times; ++i)
            for (const std::string& statement :
                 {select, update, std::string("BEGIN"), select, select, update, std::string("COMMIT")})
                own.run(statement);
    }

    // WORDS under `work` of all sessions, at the same time or one after the other.
    void compare(const std::vector<std::string>& words, bool at_once) {
        const auto run_folder = scratch_->path() / "run.snap";
        const auto outcome = record_meanwhile(cluster(), SNAPSCOPE_PROGRAM,
                                              {"--source", "ring,watch", "--events", "--overhead", "100%", "--watch",
                                               fmt::format("{}", fmt::join(words, ",")), "-o", run_folder.string()},
                                              [&] { work_of_all(at_once); });
        const auto run = read_run(run_folder);
        ASSERT_TRUE(run) << outcome.output;
        for (const auto& source : run->sources) {
            if (source.name == "watch" && source.state == SourceState::unavailable)
                GTEST_SKIP() << source.reason << "; " << source.hint;
            EXPECT_EQ(source.state, SourceState::active) << source.name << ": " << source.reason;
            EXPECT_EQ(source.lost, 0U) << source.name;
        }
        ASSERT_EQ(outcome.status, 0) << outcome.output;
        const auto simulation =
            run_program(cluster(), {SNAPSCOPE_PROGRAM, "simulate", run_folder.string(), "--quiet", "--format", "json"});
        ASSERT_EQ(simulation.status, 0) << simulation.output;
        agree(watched(*run), modelled(json::parse(simulation.output)), words.size());
    }

    std::vector<std::int64_t> slots_;

  private:
    void work_of_all(bool at_once) {
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) {
            threads.emplace_back([this, i] { work(i, rounds); });
            if (!at_once)
                threads.back().join();
        }
        if (at_once)
            for (auto& thread : threads)
                thread.join();
    }

    static void agree(const ByWord& truth, ByWord model, std::size_t words) {
        EXPECT_EQ(truth.size(), words);
        for (const auto& [word, counted] : truth) {
            const Accesses said = model[word];
            EXPECT_GE(counted.writes, 2 * rounds) << word << ": the sessions were not watched";
            EXPECT_NEAR(said.reads, counted.reads, tolerance * counted.reads) << word;
            EXPECT_NEAR(said.writes, counted.writes, tolerance * counted.writes) << word;
            fmt::print("{} {}: {} reads and {} writes counted, {} and {} modelled\n", GetParam(), word, counted.reads,
                       counted.writes, said.reads, said.writes); // for the table in docs/simulate.md
        }
    }

    std::unique_ptr<ScratchFolder> scratch_;
    std::vector<std::unique_ptr<Session>> sessions_;
};

TEST_P(TruthTest, own_words_of_a_session_among_others_at_work) {
    compare({fmt::format("slot:{}:xid", slots_[0]), fmt::format("slot:{}:xmin", slots_[0])}, true);
}

// While nobody waits: a watched lock is held for the length of several traps, and
// whoever waits for it looks at its word as often as it likes.
TEST_P(TruthTest, the_lock_of_sessions_that_do_not_wait) {
    compare({"lock", fmt::format("slot:{}:xmin", slots_[1])}, false);
}

INSTANTIATE_TEST_SUITE_P(Mode, TruthTest, every_mode(), name_of_mode);

} // namespace
} // namespace snapscope::test
