// A server, replay programs in front of PATH, and `snapscope record` over both.
#pragma once

#include "session.hpp"
#include "temporary_folder.hpp"

#include <snapscope/lab/process.hpp>
#include <snapscope/recording/run.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace snapscope::test {

// The parameter is a server: "patched", "unpatched13" or "debian15".
class HardwareRun : public testing::TestWithParam<std::string> {
  protected:
    // Skips where the server, or the right to look at it, is missing.
    void SetUp() override;
    [[nodiscard]] const Cluster& cluster() const { return *cluster_; }
    [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
    // A file that replay programs read.
    void put(const std::string& name, const std::string& text) const;
    [[nodiscard]] std::string text(const std::string& name) const;

    // snapscope record --source SOURCES with a load that waits for `done` (made
    // by the replay of perf), or runs the shell's LOAD.
    snapscope::Run record(const std::string& sources, const std::string& load = {});
    [[nodiscard]] Process start_recording(const std::string& sources, const std::string& load);
    [[nodiscard]] Command command(std::vector<std::string> words) const;

    int status_ = -1; // of the last `record`
    std::string output_;

  private:
    TemporaryFolder folder_;
    std::filesystem::path prefix_;
    std::unique_ptr<Cluster> cluster_;
};

[[nodiscard]] std::optional<std::int64_t> total_of(const snapscope::Run& run, const std::string& name);
[[nodiscard]] const SourceStatus& source_named(const snapscope::Run& run, const std::string& name);
[[nodiscard]] const Matrix* matrix_of(const snapscope::Run& run, const std::string& name, const std::string& by);
// Of the cell; 0 where row or column is not there.
[[nodiscard]] double cell(const Matrix& matrix, const std::string& reader, const std::string& writer);

[[nodiscard]] inline std::string name_of_server(const testing::TestParamInfo<std::string>& test) {
    return test.param;
}

} // namespace snapscope::test
