// A session with a test's server, and the fixture that starts one.
#pragma once

#include <snapscope/lab/cluster.hpp>

#include <chrono>
#include <filesystem>
#include <gtest/gtest.h>
#include <libpq-fe.h>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace snapscope::test {

// One libpq connection.  Statements that fail are failures of the test.
class Session {
  public:
    explicit Session(const Cluster& cluster, const std::string& database = "postgres");

    // Runs SQL, one or several statements.
    void run(const std::string& sql);
    // The first field of the first row of a query; empty for NULL or no row.
    [[nodiscard]] std::string value(const std::string& sql);
    [[nodiscard]] std::int64_t number(const std::string& sql);
    [[nodiscard]] std::vector<std::string> row(const std::string& sql);
    // Sends without waiting; finish() waits for the result and ignores it.
    void send(const std::string& sql);
    void finish();
    // Waits for what was sent; the first field of its first row.
    [[nodiscard]] std::string answer();

    [[nodiscard]] int pid() const { return PQbackendPID(connection_.get()); }
    [[nodiscard]] bool alive() const { return PQstatus(connection_.get()) == CONNECTION_OK; }

  private:
    struct Close {
        void operator()(PGconn* connection) const { PQfinish(connection); }
    };
    std::unique_ptr<PGconn, Close> connection_;
};

// The prefix of the patched server, or empty when none is built.
[[nodiscard]] std::filesystem::path patched_prefix();
// The same of "patched", "unpatched13" or "debian15"; the last two are named by
// the environment (./dev test does).  Empty where there is none.
[[nodiscard]] std::filesystem::path server_prefix(const std::string& server);

// Whether it comes true in time.
template <typename Condition> [[nodiscard]] bool within_seconds(int seconds, Condition condition) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
    while (!condition()) {
        if (std::chrono::steady_clock::now() > limit)
            return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

// A program of the patched server, run to its end as `cluster`'s client; its output.
struct ProgramResult {
    int status = 0;
    std::string output;
};
[[nodiscard]] ProgramResult run_program(const Cluster& cluster, std::vector<std::string> argv);

// Each test once a mode, every snapshot of a cached mode compared with a fresh scan.
class ServerTest : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override;
    // Starts the server; `settings` come on top of the mode's.
    void start(std::vector<std::pair<std::string, std::string>> settings = {});
    [[nodiscard]] const Cluster& cluster() const { return *cluster_; }
    // What the verification had to say: nothing, in a right server.
    void TearDown() override;

    std::unique_ptr<Cluster> cluster_;
};

[[nodiscard]] inline auto every_mode() {
    return testing::Values("off", "copy", "spin", "lockfree");
}

[[nodiscard]] inline std::string name_of_mode(const testing::TestParamInfo<std::string>& test) {
    return test.param;
}

// How many lines of the server's log hold `text`.
[[nodiscard]] int count_in_log(const Cluster& cluster, std::string_view text);

} // namespace snapscope::test
