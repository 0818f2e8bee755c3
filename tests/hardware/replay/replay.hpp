// What the replay programs share: their script, signals, and the log of how
// they were used.
#pragma once

#include <snapscope/base/text.hpp>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

namespace replay {

inline std::filesystem::path folder() {
    const char* named = std::getenv("REPLAY_DIR");
    return named == nullptr ? "." : named;
}

struct Line {
    std::string verb;
    std::vector<std::string> words;

    [[nodiscard]] std::uint64_t number(std::size_t i) const { return std::stoull(words.at(i), nullptr, 0); }
    [[nodiscard]] std::string rest(std::size_t from) const {
        std::string out;
        for (std::size_t i = from; i < words.size(); ++i)
            out += (i == from ? "" : " ") + words[i];
        return out;
    }
};

inline std::vector<Line> script(const std::string& program) {
    std::vector<Line> out;
    std::ifstream in(folder() / program);
    for (std::string text; std::getline(in, text);) {
        std::istringstream words(text);
        Line line;
        words >> line.verb;
        for (std::string word; words >> word;)
            line.words.push_back(word);
        if (!line.verb.empty())
            out.push_back(std::move(line));
    }
    return out;
}

inline const Line* find(const std::vector<Line>& script, std::string_view verb) {
    for (const Line& line : script)
        if (line.verb == verb)
            return &line;
    return nullptr;
}

inline bool has(const std::vector<Line>& script, std::string_view verb) {
    return find(script, verb) != nullptr;
}

inline std::string joined(const std::vector<std::string>& words) {
    std::string out;
    for (const auto& word : words)
        out += (out.empty() ? "" : " ") + word;
    return out;
}

inline void log(const std::string& program, const std::string& text) {
    std::ofstream(folder() / (program + ".log"), std::ios::app) << text << '\n';
}

inline bool is_there(const char* name) {
    return std::filesystem::exists(folder() / name);
}

inline void touch(const char* name) {
    std::ofstream(folder() / name).put('\n');
}

inline volatile std::sig_atomic_t was_interrupted = 0;

inline void on_interrupt(bool deaf) {
    if (deaf) {
        std::signal(SIGINT, SIG_IGN);
        std::signal(SIGTERM, SIG_IGN);
        return;
    }
    std::signal(SIGINT, [](int) { was_interrupted = 1; });
    std::signal(SIGPIPE, SIG_IGN); // it cleans up even where nobody reads any more
}

inline bool interrupted() {
    return was_interrupted != 0;
}

inline void nap() {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
}

inline std::uint64_t monotonic_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(now.tv_nsec);
}

// All of it to stdout, as far as somebody reads.
inline void print(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto wrote = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (wrote < 0 && errno == EINTR)
            continue;
        if (wrote <= 0)
            return;
        bytes.remove_prefix(static_cast<std::size_t>(wrote));
    }
}

} // namespace replay
