// Which words of a server are watched, in which order, and where they lie.
#pragma once

#include "server_words.hpp"

#include <snapscope/collector/memory_file.hpp>

#include <compare>
#include <string>
#include <vector>

namespace snapscope {

// What is watched next.
enum class WordKind { lock, xid, xmin };
[[nodiscard]] const char* name_of(WordKind kind);
struct WatchedWord {
    WordKind kind = WordKind::lock;
    std::uint32_t slot = 0; // of xid and xmin
    friend bool operator==(const WatchedWord&, const WatchedWord&) = default;
    friend auto operator<=>(const WatchedWord&, const WatchedWord&) = default;
};
[[nodiscard]] std::string to_string(const WatchedWord& word); // "lock", "slot 12 xid"
// A list as a command line has it: the same names with colons, "lock,slot:12:xid",
// each word once.  Class usage where it is none.
[[nodiscard]] Result<std::vector<WatchedWord>> parse_watched_words(const std::string& list);

// The order of watching: the lock, then xid and xmin of one slot after the other,
// and again.  Slots come and go between two turns.
class WatchRotation {
  public:
    [[nodiscard]] WatchedWord next(const std::vector<std::uint32_t>& slots);

  private:
    std::size_t step_ = 0;
};

// The words of the server, by whichever of the two ways it has.
[[nodiscard]] Result<ServerWords> find_words(const ProcFs& proc, pid_t postmaster, const MemoryFile* memory);

// The first 256 slots that have an owner, ascending.
[[nodiscard]] std::vector<std::uint32_t> taken_slots(const ServerWords& words, const ProcFs& proc, pid_t postmaster,
                                                     const MemoryFile* memory);

// Where WORD lies now; nullopt when its slot has no entry.
[[nodiscard]] std::optional<std::uint64_t> address_of(const ServerWords& words, pid_t postmaster,
                                                      const WatchedWord& word);

} // namespace snapscope
