// The same work under another mode of snapshot_cache: which path each snapshot
// would have taken, given when the copy would have been wiped.
//
// Times stay as recorded.  A snapshot that ends before anybody has filled the
// copy again fills it; those that overlap the filling lose the race and scan
// (copy, lockfree), or wait for it (spin).  In lockfree a backend that has
// already copied the same copy keeps it.  Retries and waits for the lock cannot
// be told and are none.
#pragma once

#include "operation.hpp"

#include <snapscope/analyzer/simulate.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace snapscope {

class ModeReplay {
  public:
    ModeReplay(CacheMode target, std::size_t slots) : target_(target), copied_(slots) {}

    // Changes a snapshot's path.  `also`: an invalidation that comes just before OPERATION.
    struct Replayed {
        bool drop = false; // has no part in the target mode
        bool wipes_first = false;
    };
    Replayed replay(Operation& operation);

  private:
    void snapshot(Operation& operation);
    [[nodiscard]] bool wipe();

    CacheMode target_;
    bool valid_ = false;
    std::uint64_t generation_ = 1;
    std::int64_t filled_at_ns_ = 0;     // end of the last filling
    std::vector<std::uint64_t> copied_; // by slot: the generation that it holds
};

} // namespace snapscope
