// How often each operation reads and writes the words that a watchpoint can be
// set on: ProcArrayLock's, and xid and xmin of each entry of PGXACT.  By word
// and not by line, so that source `watch` can contradict it.
//
// Out of the patched 13: a scan reads xmin and xid of every entry of the array,
// its own too; a stock scan then looks at its own xmin once more; a snapshot
// that publishes writes its own xmin; a transaction with an xid clears both,
// one without clears xmin; taking the lock reads its word and swaps it, giving it
// back subtracts from it (what reads and writes at once counts as a write, as
// it does for a watchpoint).  Waits for the lock and horizon scans of others
// (vacuum, checkpointer) are left out.
#pragma once

#include "operation.hpp"

#include <snapscope/analyzer/simulate.hpp>

#include <cstdint>
#include <vector>

namespace snapscope {

class WordModel {
  public:
    explicit WordModel(std::uint64_t slots) : entries_(slots) {}

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

    std::vector<Entry> entries_;
    WordAccesses lock_;
    std::uint64_t scans_ = 0;      // of xid and xmin
    std::uint64_t xmin_scans_ = 0; // of xmin alone
};

} // namespace snapscope
