// Folds the events of all slots into operations.
//
// What no event tells is who popped a snapshot while another one was registered,
// and so compared its own xmin and left it (SnapshotResetXmin()).  Each SELECT
// does that twice, when its portal starts and when it has run.  A statement takes
// two snapshots that publish an xmin, one to plan and one for its portal; as long
// as its transaction has no xid it is taken for a SELECT.
#pragma once

#include "operation.hpp"

#include <snapscope/recording/event.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace snapscope {

struct FoldCounts {
    std::uint64_t events = 0;
    std::uint64_t snapshots = 0;
    std::uint64_t transactions = 0;
    std::uint64_t without_start = 0; // a snapshot's end alone; its start is taken to be its end
    std::uint64_t without_end = 0;   // a start alone: left out
    std::uint64_t foreign = 0;       // of slots that the array does not have: left out
};

class EventFold {
  public:
    // TICKS_PER_NS converts waits; without it a snapshot begins at its stamp.
    EventFold(std::uint64_t slots, std::optional<double> ticks_per_ns) : slots_(slots), ticks_per_ns_(ticks_per_ns) {}

    // In the order of time; the operation that EVENT completes, if any.
    [[nodiscard]] std::optional<Operation> fold(const Event& event);
    // No operation that is still to come begins before it, given that no event
    // before NOW_NS follows.
    [[nodiscard]] std::int64_t watermark(std::int64_t now_ns) const {
        return open_.empty() || open_.begin()->first > now_ns ? now_ns : open_.begin()->first;
    }
    // Snapshots still open at the end count as without_end.
    void finish() { counts_.without_end += open_.size(); }
    [[nodiscard]] const FoldCounts& counts() const { return counts_; }

  private:
    enum class Xmin : std::uint8_t { unknown, unset, set };
    struct Slot {
        std::optional<std::int64_t> start;
        std::int64_t lock_wait_ns = 0;
        bool builder_wait = false;
        bool refreshed = false;
        Xmin xmin = Xmin::unknown;
        bool published = false; // by a snapshot whose XMIN_SET is still to come
        std::uint64_t published_in_xact = 0;
        bool has_xid = false;
    };

    void close(Slot& slot, std::uint32_t index);
    [[nodiscard]] Operation snapshot(Slot& slot, const Event& event);
    [[nodiscard]] std::optional<Operation> xmin_event(Slot& slot, const Event& event, Operation operation);
    static void end_xact(Slot& slot);
    void wait(Slot& slot, const Event& event) const;

    std::vector<Slot> slots_;
    std::optional<double> ticks_per_ns_;
    std::set<std::pair<std::int64_t, std::uint32_t>> open_; // start, slot
    FoldCounts counts_;
};

} // namespace snapscope
