// Source `watch`: hardware watchpoints on words of the proc array and on
// ProcArrayLock, two words at a time, rotated over the slots that are taken; or on
// words that were named, without a break where there are no more than two of them.
#pragma once

#include "watched_words.hpp"

#include <snapscope/collector/memory_file.hpp>
#include <snapscope/collector/source.hpp>

#include <memory>

namespace snapscope {

struct WatchOptions {
    double overhead = 0.02; // share of the server's CPU time that traps may take
    std::function<void(const std::string&)> note;
    std::vector<WatchedWord> words{}; // named ones; none: rotated over those of the taken slots
};

// MEMORY of a patched server outlives the source; else exported symbols say where
// the words lie.  Nothing is watched before start().  Class usage for a named word
// of a slot that the server does not have.
[[nodiscard]] Result<std::unique_ptr<Source>> attach_watch(const ProcFs& proc, pid_t postmaster,
                                                           const MemoryFile* memory, const WatchOptions& options);
// Whether attach_watch() would work; what an access would cost.
[[nodiscard]] Result<std::string> probe_watch(const ProcFs& proc, pid_t postmaster, const MemoryFile* memory);

} // namespace snapscope
