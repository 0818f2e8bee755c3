// Runs the program `snapscope` for the demo.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/lab/process.hpp>

#include <atomic>
#include <filesystem>
#include <string>
#include <vector>

namespace snapscope::demo {

class Program {
  public:
    Program(std::filesystem::path path, const std::atomic<bool>& stop) : path_(std::move(path)), stop_(stop) {}

    // `snapscope WORDS`, its output kept.  Exit code 3 (done in part) is a
    // success whose notes the caller may print; anything else but 0 an Error.
    // When the demo is stopped, the program gets SIGINT and may finish.
    [[nodiscard]] Result<Finished> run(std::vector<std::string> words,
                                       std::vector<std::pair<std::string, std::string>> environment = {}) const;

    // The same, with its standard output on ours.
    [[nodiscard]] Status print(std::vector<std::string> words,
                               std::vector<std::pair<std::string, std::string>> environment = {}) const;

  private:
    [[nodiscard]] Result<Finished> finish(Command command) const;

    std::filesystem::path path_;
    const std::atomic<bool>& stop_;
};

} // namespace snapscope::demo
