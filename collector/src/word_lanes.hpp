// The words that are watched right now: two at most, of two debug registers each.
#pragma once

#include "watched_words.hpp"
#include "word_sums.hpp"
#include "word_watch.hpp"

#include <cstdint>
#include <vector>

namespace snapscope {

class WordLanes {
  public:
    static constexpr std::size_t most = 2;

    // LIMIT: accesses of a word on one CPU after which the kernel stops (WordWatch).
    WordLanes(const ServerWords& words, pid_t postmaster, std::uint64_t limit)
        : words_(words), postmaster_(postmaster), limit_(limit) {}

    [[nodiscard]] bool full() const { return lanes_.size() >= most; }
    [[nodiscard]] bool has(const WatchedWord& word) const;
    // False: its slot has no entry now.
    Result<bool> add(const WatchedWord& word);
    void go_on(); // or begin
    void stop();

    struct Taken {
        std::uint64_t hits = 0, watched_ns = 0;
        std::uint64_t cut = 0;   // words that the kernel has stopped on a CPU
        std::uint64_t moved = 0; // words that lie elsewhere now: what they saw is dropped, and so are they
    };
    // What was seen since the last time, into SUMS.
    Taken take(WordSums& sums);
    void clear() { lanes_.clear(); }

  private:
    struct Lane {
        WatchedWord word;
        std::uint64_t address = 0;
        WordWatch watch;
        std::vector<CpuAccesses> taken; // already
    };

    ServerWords words_;
    pid_t postmaster_;
    std::uint64_t limit_;
    std::vector<Lane> lanes_;
};

} // namespace snapscope
