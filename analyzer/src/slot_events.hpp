// What one slot's events draw: snapshots as slices, their waits and rebuilds,
// invalidations.  One object for all slots of a trace.
#pragma once

#include "trace_json.hpp"
#include "trace_order.hpp"

#include <snapscope/recording/event.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace snapscope {

// What could not be drawn as it is meant; stated in the trace.
struct DrawingCounts {
    std::uint64_t snapshots = 0;
    std::uint64_t without_start = 0; // SNAPSHOT_DONE alone
    std::uint64_t without_end = 0;   // SNAPSHOT_START alone
    std::uint64_t too_long = 0;      // open longer than the order of time could wait: drawn as two instants
    std::uint64_t overlapping = 0;   // drawn as b/e, not as slices
    std::uint64_t moved = 0;         // waits and rebuilds cut to their snapshot, or moved
    std::uint64_t not_drawn = 0;     // events of other types
};

class SlotEvents {
  public:
    // Metadata goes to `order`'s sink at once through `emit_now`.
    SlotEvents(const Run& run, std::uint32_t process, std::int64_t epoch_ns, TraceOrder& order,
               TraceOrder::Emit emit_now);

    [[nodiscard]] Status event(const Event& event);
    // The oldest time at which something may still begin, given that no event before `now` follows.
    [[nodiscard]] std::int64_t watermark(std::int64_t now) const;
    // Gives up on the oldest open snapshot as a slice; false where none is open.
    bool give_up_oldest();
    // The input has ended.
    void finish();
    [[nodiscard]] const DrawingCounts& counts() const { return counts_; }

  private:
    struct Part { // a wait or a rebuild
        Event event;
        std::uint32_t ticks;
    };
    struct Slot {
        TraceThread thread;
        std::uint32_t owner = 0;
        bool named = false;
        std::optional<std::int64_t> start; // of the open snapshot
        bool given_up = false;             // the open snapshot is no slice any more
        std::vector<Part> parts;           // of the open snapshot
    };

    [[nodiscard]] Status own(Slot& slot, const Event& event);
    void start(Slot& slot, std::uint32_t index, std::int64_t ts);
    void drop_open(Slot& slot, std::uint32_t index);
    void done(Slot& slot, const Event& event, std::int64_t ts);
    void part(Slot& slot, const Event& event, std::int64_t ts);
    void draw_part(const Slot& slot, const Part& part, std::int64_t begin, std::int64_t end);
    void draw_snapshot(const Slot& slot, const Event& event, std::int64_t begin, std::int64_t end);
    void instant(const Slot& slot, std::int64_t ts, std::string_view name, const TraceArgs& args);
    [[nodiscard]] std::int64_t ticks_to_ns(std::uint32_t ticks) const;
    void forget_threads();

    std::uint32_t process_;
    std::int64_t epoch_ns_;
    std::optional<double> ticks_per_ns_;
    std::unordered_map<std::uint32_t, std::pair<std::uint32_t, std::string>> backends_; // slot -> pid, type
    TraceOrder& order_;
    TraceOrder::Emit emit_now_;
    std::unordered_map<std::uint32_t, Slot> slots_;
    std::set<std::pair<std::int64_t, std::uint32_t>> open_;      // start, slot
    std::unordered_map<std::uint32_t, std::int64_t> slice_ends_; // tid -> end of its last slice
    std::uint64_t next_id_ = 1;
    DrawingCounts counts_;
};

} // namespace snapscope
