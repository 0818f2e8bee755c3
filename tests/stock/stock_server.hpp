// An unpatched server for a test, and recordings of scripted sessions on it.
#pragma once

#include "session.hpp"

#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run.hpp>

#include <optional>
#include <server_words.hpp>

namespace snapscope::test {

// The parameter is a server: "unpatched13" or "debian15"; where our own is meant as well, "patched".
class StockTest : public testing::TestWithParam<std::string> {
  protected:
    // Skips where the server, or the right to look at it, is missing.
    void SetUp() override;
    // The files to run, of those that are installed at PREFIX.
    [[nodiscard]] virtual std::filesystem::path install(const std::filesystem::path& prefix) { return prefix; }
    [[nodiscard]] const Cluster& cluster() const { return *cluster_; }
    [[nodiscard]] std::string program(const std::string& name) const { return (prefix_ / "bin" / name).string(); }
    // The server's binary, as the collector opens it.
    [[nodiscard]] std::string exe() const { return ProcFs().path(cluster_->pid(), "exe").string(); }
    [[nodiscard]] bool reuses() const { return GetParam() != "unpatched13"; }

    // psql's run of LINES, each a statement of its own, in one session.
    [[nodiscard]] std::vector<std::string> session_of(const std::string& line, int times);
    // Records it with the source ebpf; MORE are options of `record`.
    [[nodiscard]] snapscope::Run record(const std::string& line, int times, const std::vector<std::string>& more = {});
    [[nodiscard]] std::filesystem::path scratch() const { return scratch_->path(); }

    int status_ = -1; // of the last `record`
    std::string output_;

  private:
    std::filesystem::path prefix_;
    std::unique_ptr<Cluster> cluster_;
    std::unique_ptr<ScratchFolder> scratch_;
    int runs_ = 0;
};

[[nodiscard]] std::optional<std::int64_t> total(const Run& run, const std::string& name,
                                                const std::string& source = "ebpf");
[[nodiscard]] const SourceStatus& source_of(const Run& run, const std::string& name);

// The words of the server that CLUSTER runs; a failure of the test where they are not found.
[[nodiscard]] ServerWords words_of(const Cluster& cluster);

// A recorder of SESSION's server was killed: no breakpoint, semaphore or
// watchpoint is left, and the server goes on.
void expect_nothing_left(Session& session, int seconds);

[[nodiscard]] inline auto every_stock_server() {
    return testing::Values("unpatched13", "debian15");
}
[[nodiscard]] inline std::string name_of_server(const testing::TestParamInfo<std::string>& test) {
    return test.param;
}

} // namespace snapscope::test
