// How often each operation reads and writes the words that a watchpoint can be
// set on: ProcArrayLock's, and xid and xmin of each entry of PGXACT.  By word
// and not by line, so that source `watch` can contradict it.
//
// Out of the patched 13 and the code that is compiled from it: a scan reads xmin
// and xid of every entry of the array once, its own too, unless the entry's flags
// say vacuum or decoding; a stock scan then looks at its own xmin once more; a
// snapshot that publishes writes its own xmin; a lock-free one that is not
// accepted takes it back.  A transaction with an xid reads that when it sets its
// status, and clears both words; one without clears xmin.  Who comes clears both
// and looks at its xid, who goes at its xmin.  Taking the lock reads its word and
// swaps it, giving it back subtracts from it (what reads and writes at once counts
// as a write, as it does for a watchpoint).
//
// Left out: waits for the lock and their queue, horizon scans of others (vacuum,
// checkpointer), TransactionIdIsInProgress() and other looks from outside.
#pragma once

#include "operation.hpp"

#include <snapscope/analyzer/simulate.hpp>

#include <cstdint>
#include <vector>

namespace snapscope {

class WordModel {
  public:
    // LOCKFREE: the mode, in which the lock is taken only after a try without it.
    WordModel(std::uint64_t slots, bool lockfree) : lockfree_(lockfree), entries_(slots) {}

    // SLOT is in the array from now on, or no longer; each once.
    void enter(std::uint32_t slot);
    void leave(std::uint32_t slot);
    // OPERATION of the backend in SLOT.
    void run(const Operation& operation, std::uint32_t slot);

    [[nodiscard]] WordAccesses lock() const { return lock_; }
    // Entries of which a word was touched, by slot.
    [[nodiscard]] std::vector<EntryWords> entries() const;

  private:
    // Scans are counted once for all: what a member has been read since it
    // entered is a difference.
    struct Entry {
        bool member = false;
        std::uint64_t scans_before = 0, xmin_scans_before = 0;
        WordAccesses xid, xmin;
    };
    void snapshot(const Operation& operation, Entry& own);
    void take_lock(std::uint64_t times = 1);
    void add_scans(Entry& entry) const;

    bool lockfree_;
    std::vector<Entry> entries_;
    WordAccesses lock_;
    std::uint64_t scans_ = 0;      // of xid and xmin
    std::uint64_t xmin_scans_ = 0; // of xmin alone
};

} // namespace snapscope
