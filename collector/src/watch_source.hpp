// Source `watch`: hardware watchpoints on words of the proc array and on
// ProcArrayLock, two words at a time, rotated over the slots that are taken.
#pragma once

#include "server_words.hpp"

#include <snapscope/collector/memory_file.hpp>
#include <snapscope/collector/source.hpp>

#include <memory>

namespace snapscope {

struct WatchOptions {
    double overhead = 0.02; // share of the server's CPU time that traps may take
    std::function<void(const std::string&)> note;
};

// What is watched next.
enum class WordKind { lock, xid, xmin };
struct WatchedWord {
    WordKind kind = WordKind::lock;
    std::uint32_t slot = 0; // of xid and xmin
    friend bool operator==(const WatchedWord&, const WatchedWord&) = default;
    friend auto operator<=>(const WatchedWord&, const WatchedWord&) = default;
};
[[nodiscard]] std::string to_string(const WatchedWord& word); // "lock", "slot 12 xid"

// The order of watching: the lock, then xid and xmin of one slot after the other,
// and again.  Slots come and go between two turns.
class WatchRotation {
  public:
    [[nodiscard]] WatchedWord next(const std::vector<std::uint32_t>& slots);

  private:
    std::size_t step_ = 0;
};

// MEMORY of a patched server outlives the source; else exported symbols say where
// the words lie.  Nothing is watched before start().
[[nodiscard]] Result<std::unique_ptr<Source>> attach_watch(const ProcFs& proc, pid_t postmaster,
                                                           const MemoryFile* memory, const WatchOptions& options);
// Whether attach_watch() would work; what an access would cost.
[[nodiscard]] Result<std::string> probe_watch(const ProcFs& proc, pid_t postmaster, const MemoryFile* memory);

// The words of the server, by whichever of the two ways it has.
[[nodiscard]] Result<ServerWords> find_words(const ProcFs& proc, pid_t postmaster, const MemoryFile* memory);

// Where WORD lies now; nullopt when its slot has no entry.
[[nodiscard]] std::optional<std::uint64_t> address_of(const ServerWords& words, pid_t postmaster,
                                                      const WatchedWord& word);

} // namespace snapscope
