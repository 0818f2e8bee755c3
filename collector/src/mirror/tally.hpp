// What samples add up to: over a window, and by slot over the run.  Pure.
//
// A slot costs something when it changes, not at each look: looks are numbered,
// and what a slot held is counted when it ends, or a window does.
#pragma once

#include "samples.hpp"

#include <vector>

namespace snapscope::mirror {

// Sums and maxima over the samples of a window; a mean over no sample is absent.
struct WindowTally {
    std::uint64_t samples = 0;                                         // looks at lock and counters
    std::uint64_t roster_samples = 0;                                  // of them, with a whole roster
    std::uint64_t xid_samples = 0;                                     // of them, with a whole set of xids
    std::uint64_t xmin_samples = 0;                                    // looks at every xmin
    std::uint64_t proc_samples = 0;                                    // looks at PGPROC
    std::uint64_t taken = 0, with_xid = 0, with_xmin = 0, waiting = 0; // slots, summed over their samples
    std::uint64_t lock_exclusive = 0, lock_shared = 0;                 // samples that found it held so
    std::uint32_t xid_age = 0, xmin_age = 0, horizon_age = 0;          // the oldest seen
    std::optional<std::uint32_t> horizon_slot;                         // who held the horizon back in the last look
    std::uint64_t torn_roster = 0, torn_counters = 0, late_ticks = 0, unreadable = 0;

    void operator+=(const WindowTally& other);
};

struct SlotTally {
    std::uint64_t samples = 0, with_xid = 0;       // looks that found it taken; with an xid
    std::uint64_t xmin_samples = 0, with_xmin = 0; // looks at its xmin while taken; with one
    std::uint64_t held_horizon = 0;                // looks that found it to hold the horizon back
    std::uint64_t proc_samples = 0, waiting = 0;   // looks at its PGPROC; waiting for ProcArrayLock
    std::uint32_t xmin_age = 0, horizon_age = 0;   // the oldest seen
    std::int32_t pid = 0;
    std::uint32_t database = 0;

    // What it holds now, and since which looks that has not been counted yet.
    bool taken = false;
    std::uint32_t xid = 0;
    std::uint64_t taken_from = 0, xid_from = 0;
};

class Tally {
  public:
    explicit Tally(std::uint32_t slots) : slots_(slots) {}

    // Samples of an anatomy with at most so many slots, each the look after the
    // one before: occupancy and xids.
    void add(const DenseSample& sample);
    // 13: the xmins of a whole sample that was added.
    void add_xmins(const DenseSample& sample);
    // NEXT_XID as of the sample; HAS_XMIN: 14+.
    void add(const ProcSample& sample, std::uint64_t next_xid, bool has_xmin);
    void add_loss(std::uint64_t WindowTally::*way, std::uint64_t count = 1) { window_.*way += count; }

    // The window so far; a new one begins.
    WindowTally take_window();
    [[nodiscard]] const WindowTally& total() const { return total_; } // of windows taken
    // Complete up to the last window taken.
    [[nodiscard]] const std::vector<SlotTally>& slots() const { return slots_; }

  private:
    struct Horizon {
        std::uint32_t age = 0;
        std::optional<std::uint32_t> slot;
        void consider(std::uint32_t slot_number, std::uint32_t xid, std::uint32_t xmin, std::uint8_t flags,
                      std::uint64_t next_xid);
    };
    void take_all(const DenseSample& sample);
    void hold(SlotTally& slot, std::uint32_t xid);
    void count_xid(SlotTally& slot);
    void count_taken();
    void add_xmin(SlotTally& slot, std::uint32_t xmin, std::uint64_t next_xid);
    void add_horizon(const Horizon& horizon);

    WindowTally window_, total_;
    std::vector<SlotTally> slots_;
    std::vector<std::uint32_t> taken_;               // numbers of the taken ones
    std::uint64_t with_xid_ = 0;                     // how many of them have one
    std::uint64_t roster_looks_ = 0, xid_looks_ = 0; // whole ones, so far
    std::uint64_t window_from_ = 0;                  // xid_looks_ where the window began
    std::uint64_t next_xid_ = 0;                     // as of the last of them
};

} // namespace snapscope::mirror
