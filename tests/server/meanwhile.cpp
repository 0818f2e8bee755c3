#include "meanwhile.hpp"

#include <snapscope/lab/scratch_folder.hpp>

#include <fmt/format.h>
#include <fstream>
#include <future>

namespace snapscope::test {

// The recording's load is a shell that says it is there, and ends when it is told to.
ProgramResult record_meanwhile(const Cluster& cluster, const std::string& program,
                               const std::vector<std::string>& options, const std::function<void()>& work) {
    const auto scratch = ScratchFolder::create();
    EXPECT_TRUE(scratch) << scratch.error().message();
    if (!scratch)
        return {-1, {}};
    const auto begun = scratch->path() / "begun";
    const auto done = scratch->path() / "done";
    std::vector<std::string> argv{program, "record", "--pid", std::to_string(cluster.pid())};
    argv.insert(argv.end(), options.begin(), options.end());
    argv.insert(argv.end(),
                {"--", "/bin/sh", "-c",
                 fmt::format("touch '{}'; until test -e '{}'; do sleep 0.02; done", begun.string(), done.string())});
    auto recording = std::async(std::launch::async, [&] { return run_program(cluster, std::move(argv)); });
    const auto ended = [&] { return recording.wait_for(std::chrono::seconds(0)) == std::future_status::ready; };
    EXPECT_TRUE(within_seconds(60, [&] { return std::filesystem::exists(begun) || ended(); }));
    if (std::filesystem::exists(begun))
        work();
    std::ofstream(done).close();
    return recording.get();
}

} // namespace snapscope::test
