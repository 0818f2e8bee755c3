#include "hardware_run.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>

namespace snapscope::test {

using namespace std::chrono_literals;

void HardwareRun::SetUp() {
    prefix_ = server_prefix(GetParam());
    if (prefix_.empty())
        GTEST_SKIP() << "the server " << GetParam() << " is not here";
    if (::geteuid() != 0)
        GTEST_SKIP() << "looks into another account's server: needs root";
    ClusterOptions options;
    options.prefix = prefix_;
    options.settings = {{"autovacuum", "off"}, {"max_connections", "100"}};
    auto started = Cluster::start(options);
    ASSERT_TRUE(started) << started.error().message();
    cluster_ = std::make_unique<Cluster>(std::move(*started));
}

void HardwareRun::put(const std::string& name, const std::string& text) const {
    std::ofstream(folder() / name) << text;
}

std::string HardwareRun::text(const std::string& name) const {
    std::ifstream in(folder() / name);
    return {std::istreambuf_iterator<char>(in), {}};
}

Command HardwareRun::command(std::vector<std::string> words) const {
    const char* path = std::getenv("PATH");
    Command command;
    command.argv = std::move(words);
    command.argv.insert(command.argv.begin(), SNAPSCOPE_PROGRAM);
    command.environment = {{"PATH", std::string(REPLAY_PROGRAMS) + ":" + (path == nullptr ? "" : path)},
                           {"REPLAY_DIR", folder().string()}};
    command.folder = folder();
    return command;
}

Process HardwareRun::start_recording(const std::string& sources, const std::string& load) {
    auto process = Process::start(command({"record", "--pid", std::to_string(cluster().pid()), "--source", sources,
                                           "-o", "x.snap", "--force", "--", "/bin/sh", "-c", load}));
    EXPECT_TRUE(process) << process.error().message();
    return std::move(*process);
}

snapscope::Run HardwareRun::record(const std::string& sources, const std::string& load) {
    for (const char* name : {"go", "done"})
        std::filesystem::remove(folder() / name);
    auto process = start_recording(sources, load.empty() ? "touch go; while [ ! -e done ]; do sleep 0.01; done" : load);
    std::optional<int> status;
    for (int seconds = 0; seconds < 120 && !status; ++seconds)
        status = process.wait_for(1s);
    status_ = status ? *status : process.stop(SIGKILL, 1s);
    output_ = process.output();
    auto run = read_run(folder() / "x.snap");
    EXPECT_TRUE(run) << output_;
    return run ? std::move(*run) : snapscope::Run{};
}

std::optional<std::int64_t> total_of(const snapscope::Run& run, const std::string& name) {
    const auto at = std::ranges::find(run.totals, name, &Total::name);
    return at == run.totals.end() ? std::nullopt : at->value;
}

const SourceStatus& source_named(const snapscope::Run& run, const std::string& name) {
    const auto at = std::ranges::find(run.sources, name, &SourceStatus::name);
    static const SourceStatus none;
    if (at == run.sources.end()) {
        ADD_FAILURE() << "the run has no source " << name;
        return none;
    }
    return *at;
}

const Matrix* matrix_of(const snapscope::Run& run, const std::string& name, const std::string& by) {
    const auto at = std::ranges::find_if(run.matrices, [&](const Matrix& m) { return m.name == name && m.by == by; });
    return at == run.matrices.end() ? nullptr : &*at;
}

double cell(const Matrix& matrix, const std::string& reader, const std::string& writer) {
    const auto row = std::ranges::find(matrix.readers, reader) - matrix.readers.begin();
    const auto column = std::ranges::find(matrix.writers, writer) - matrix.writers.begin();
    const auto index = static_cast<std::size_t>(row) * matrix.writers.size() + static_cast<std::size_t>(column);
    return row == std::ssize(matrix.readers) || column == std::ssize(matrix.writers) ? 0 : matrix.counts.at(index);
}

} // namespace snapscope::test
