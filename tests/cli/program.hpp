// The program as its users run it: a command line, two streams, an exit code.
#pragma once

#include "temporary_folder.hpp"

#include <snapscope/lab/process.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace snapscope::test {

using Words = std::vector<std::string>;

struct Outcome {
    int status = 0; // as a shell states it
    std::string out, err;
    friend void PrintTo(const Outcome& o, std::ostream* to) {
        *to << "exit " << o.status << "\n" << o.out << "---\n" << o.err;
    }
};

class Running {
  public:
    Running(Words argv, const std::filesystem::path& folder) : process_(started(std::move(argv), folder)) {}
    void signal(int number) const { process_.send_signal(number); }
    [[nodiscard]] pid_t pid() const { return process_.pid(); }
    [[nodiscard]] bool ended() { return process_.wait_for(std::chrono::milliseconds(0)).has_value(); }
    Outcome finish() {
        for (int seconds = 0; seconds < 120; ++seconds)
            if (const auto status = process_.wait_for(std::chrono::seconds(1)))
                return {*status, process_.output(), process_.errors()};
        return {process_.stop(SIGKILL, std::chrono::seconds(1)), process_.output(), "did not end"};
    }

  private:
    static Process started(Words argv, const std::filesystem::path& folder) {
        Command command;
        command.argv = std::move(argv);
        command.folder = folder;
        command.output = Command::Output::apart;
        auto process = Process::start(std::move(command));
        if (!process)
            throw std::runtime_error(process.error().message());
        return std::move(*process);
    }
    Process process_;
};

// Each test in a folder of its own, where the program runs.
class ProgramTest : public testing::Test {
  protected:
    [[nodiscard]] std::filesystem::path path(const std::string& name) const { return folder_.path() / name; }
    [[nodiscard]] Running start(Words words) const {
        words.insert(words.begin(), SNAPSCOPE_PROGRAM);
        return {std::move(words), folder_.path()};
    }
    [[nodiscard]] Outcome run(Words words) const { return start(std::move(words)).finish(); }
    // The program under a limit of a shell's `ulimit`.
    [[nodiscard]] Outcome run_limited(const std::string& limit, Words words) const {
        Words argv{"/bin/sh", "-c", "ulimit " + limit + "; exec \"$@\"", "sh", SNAPSCOPE_PROGRAM};
        argv.insert(argv.end(), words.begin(), words.end());
        return Running(std::move(argv), folder_.path()).finish();
    }
    [[nodiscard]] std::string text(const std::string& name) const {
        std::ifstream in(path(name));
        return {std::istreambuf_iterator<char>(in), {}};
    }
    void put(const std::string& name, const std::string& bytes) const { std::ofstream(path(name)) << bytes; }
    void wait_for_file(const std::string& name) const {
        for (int tries = 0; tries < 3000 && !std::filesystem::exists(path(name)); ++tries)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        ASSERT_TRUE(std::filesystem::exists(path(name))) << name;
    }
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> out;
        for (const auto& entry : std::filesystem::directory_iterator(folder_.path()))
            out.push_back(entry.path().filename().string());
        std::ranges::sort(out);
        return out;
    }

  private:
    TemporaryFolder folder_;
};

[[nodiscard]] inline long lines_in(const std::string& text) {
    return std::ranges::count(text, '\n');
}

} // namespace snapscope::test
