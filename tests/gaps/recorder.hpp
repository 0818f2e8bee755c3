// `snapscope record` beside a test, and what its run says so far.
#pragma once

#include <snapscope/lab/process.hpp>
#include <snapscope/recording/run.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace snapscope::test {

class Recorder {
  public:
    // WORDS follow `record`.
    explicit Recorder(std::vector<std::string> words);

    // The sum of what the windows in FOLDER say by now; nullopt while there is none.
    [[nodiscard]] static std::optional<double> so_far(const std::filesystem::path& folder, const std::string& source,
                                                      const std::string& series);
    [[nodiscard]] static std::size_t gaps_so_far(const std::filesystem::path& folder);
    void signal(int number) { process_.send_signal(number); }
    // The exit code; -1 where it does not end within a minute.
    [[nodiscard]] int finish();
    [[nodiscard]] int end_by_interrupt();
    [[nodiscard]] pid_t pid() const { return process_.pid(); }
    [[nodiscard]] std::string output() { return process_.output(); }

  private:
    Process process_;
};

[[nodiscard]] std::optional<std::int64_t> total_of(const Run& run, const std::string& source, const std::string& name);
[[nodiscard]] double sum_of_windows(const Run& run, const std::string& source, const std::string& series);

} // namespace snapscope::test
