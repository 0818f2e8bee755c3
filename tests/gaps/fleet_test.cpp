// Several servers in one invocation: each has its run, and none depends on another.

#include "recorder.hpp"
#include "session.hpp"

#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <csignal>
#include <gmock/gmock.h>

namespace snapscope::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

class Fleet : public testing::Test {
  protected:
    void SetUp() override {
        auto scratch = ScratchFolder::create();
        ASSERT_TRUE(scratch) << scratch.error().message();
        scratch_ = std::make_unique<ScratchFolder>(std::move(*scratch));
        for (const char* server : {"patched", "unpatched13"}) {
            ClusterOptions options;
            options.prefix = server_prefix(server);
            if (options.prefix.empty())
                GTEST_SKIP() << server << " is not here";
            options.settings = {{"autovacuum", "off"}, {"max_connections", "20"}};
            auto started = Cluster::start(options);
            ASSERT_TRUE(started) << started.error().message();
            clusters_.push_back(std::make_unique<Cluster>(std::move(*started)));
        }
    }

    // The servers first, then MORE.
    [[nodiscard]] std::vector<std::string> words(std::vector<std::string> more) const {
        std::vector<std::string> all;
        for (const auto& cluster : clusters_)
            all.insert(all.end(), {"--pid", std::to_string(cluster->pid())});
        all.insert(all.end(), {"--interval", "100", "-o", (scratch_->path() / "x.snap").string()});
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    [[nodiscard]] fs::path folder(int number) const {
        return scratch_->path() / ("x-" + std::to_string(number) + ".snap");
    }
    [[nodiscard]] bool recording(int number) const {
        return Recorder::so_far(folder(number), "mirror", "xids_assigned").has_value();
    }
    void write(int number, int times) {
        Session session(*clusters_[static_cast<std::size_t>(number - 1)]);
        for (int i = 0; i < times; ++i)
            session.run("SELECT txid_current()");
    }
    [[nodiscard]] std::optional<std::int64_t> written(int number) const {
        const auto run = read_run(folder(number));
        EXPECT_TRUE(run && run->finished);
        return run ? total_of(*run, "mirror", "xids_assigned") : std::nullopt;
    }

    std::unique_ptr<ScratchFolder> scratch_;
    std::vector<std::unique_ptr<Cluster>> clusters_;
};

TEST_F(Fleet, each_server_has_a_run_of_its_own_with_its_own_counts) {
    Recorder recorder(words({"--source", "mirror,sql"}));
    ASSERT_TRUE(within_seconds(60, [&] { return recording(1) && recording(2); })) << recorder.output();
    write(1, 70);
    write(2, 110);
    EXPECT_EQ(recorder.end_by_interrupt(), 0) << recorder.output();
    EXPECT_EQ(written(1), 70);
    EXPECT_EQ(written(2), 110);
    for (const int number : {1, 2}) {
        const auto pid = clusters_[static_cast<std::size_t>(number - 1)]->pid();
        EXPECT_EQ(read_run(folder(number))->server.pid, static_cast<std::uint32_t>(pid));
        EXPECT_THAT(recorder.output(),
                    HasSubstr("pid " + std::to_string(pid) + ": recorded " + folder(number).string()));
    }
}

TEST_F(Fleet, one_that_is_not_there_leaves_the_others_alone) {
    auto all = words({"--source", "mirror", "-d", "3"});
    all.insert(all.end(), {"--pid", "1"}); // init is no server
    Recorder recorder(all);
    ASSERT_TRUE(within_seconds(60, [&] { return recording(1) && recording(2); })) << recorder.output();
    write(2, 30);
    EXPECT_EQ(recorder.finish(), 3) << recorder.output();
    EXPECT_EQ(written(1), 0);
    EXPECT_EQ(written(2), 30);
    EXPECT_FALSE(fs::exists(folder(3)));
    EXPECT_THAT(recorder.output(), HasSubstr("snapscope: pid 1: pid 1 is not a PostgreSQL server"));
}

TEST_F(Fleet, one_that_ends_leaves_the_others_alone) {
    Recorder recorder(words({"--source", "mirror", "--return-limit", "0"}));
    ASSERT_TRUE(within_seconds(60, [&] { return recording(1) && recording(2); })) << recorder.output();
    write(1, 20);
    ASSERT_TRUE(within_seconds(60, [&] { return Recorder::so_far(folder(1), "mirror", "xids_assigned") == 20; }));
    clusters_[0]->stop();
    ASSERT_TRUE(within_seconds(60, [&] { return read_run(folder(1))->finished; }));
    write(2, 40);
    EXPECT_EQ(recorder.end_by_interrupt(), 3) << recorder.output();
    EXPECT_EQ(written(1), 20);
    EXPECT_EQ(written(2), 40);
}

TEST_F(Fleet, none_there_is_a_failure) {
    Recorder recorder({"--pid", "1", "--pid", "2", "-o", (scratch_->path() / "x.snap").string()});
    EXPECT_EQ(recorder.finish(), 1) << recorder.output();
    EXPECT_TRUE(fs::is_empty(scratch_->path()));
}

TEST_F(Fleet, a_recorder_that_is_killed_takes_its_processes_along) {
    Recorder recorder(words({"--source", "mirror,sql"}));
    ASSERT_TRUE(within_seconds(60, [&] { return recording(1) && recording(2); })) << recorder.output();
    recorder.signal(SIGKILL);
    (void)recorder.finish();
    for (const int number : {1, 2})
        EXPECT_TRUE(within_seconds(30, [&] { return read_run(folder(number))->finished; })) << number;
}

TEST_F(Fleet, what_belongs_to_one_server_is_refused_for_several) {
    const auto refused = [&](std::vector<std::string> more, const std::string& why) {
        Recorder recorder(words(std::move(more)));
        EXPECT_EQ(recorder.finish(), 2) << recorder.output();
        EXPECT_THAT(recorder.output(), HasSubstr(why));
        EXPECT_EQ(std::ranges::count(recorder.output(), '\n'), 1) << recorder.output();
    };
    refused({"--", "true"}, "a load belongs to one server");
    refused({"--pair", "s:1:1"}, "--pair");
    refused({"--dsn", "port=5432"}, "--dsn names one server");
    refused({"--pid", std::to_string(clusters_[0]->pid())}, "twice");
    refused({"--source", "nothing"}, "unknown source");
    EXPECT_TRUE(fs::is_empty(scratch_->path()));
}

} // namespace
} // namespace snapscope::test
