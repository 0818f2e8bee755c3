// The events of all rings: turns them on, drains them, and turns them off.
#pragma once

#include "event_feed.hpp"
#include "lease_keeper.hpp"
#include "ring_drain.hpp"

#include <snapscope/collector/event_tally.hpp>
#include <snapscope/collector/memory_file.hpp>
#include <snapscope/collector/ticks.hpp>

#include <optional>
#include <vector>

namespace snapscope {

class RingEvents final : public EventFeed {
  public:
    // FILE must be this process's to consume, and outlive the object.  Takes
    // some 20 ms: the clock is calibrated.
    static Result<std::unique_ptr<RingEvents>> create(const MemoryFile& file);

    void enable();
    // No record is written any more, but for one that a backend is about to finish.
    void disable();
    Result<Drained> drain(EventTraceWriter& trace) override;
    Status close(EventTraceWriter& trace) override;

    // Final after close().
    [[nodiscard]] const EventTally& tally() const { return tally_; }
    [[nodiscard]] std::uint64_t ring_full() const;
    [[nodiscard]] std::uint64_t implausible() const { return implausible_; }
    [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
    [[nodiscard]] std::uint64_t unread() const { return unread_; }
    [[nodiscard]] std::uint64_t lapses() const { return lapses_; }
    [[nodiscard]] std::uint64_t backward_stamps() const { return backward_stamps_; }
    [[nodiscard]] const TickConversion& clock() const { return conversion_; }

  private:
    struct SlotState {
        RingDrain ring;
        std::uint64_t written_before = 0, lost_before = 0; // the server's counters at enable()
        std::uint64_t lost_seen = 0;                       // at the last drain
        std::uint64_t drained = 0;
        std::uint64_t unusable = 0; // implausible or malformed
        std::uint64_t reported = 0; // of both, to the trace
        std::int64_t last_ns = 0;
        std::uint32_t pid = 0;
        std::uint32_t idle_drains = 0;
        bool active = false;
    };

    RingEvents(const MemoryFile& file, TickConversion conversion);
    void find_active();
    void refine_clock();
    Status drain_slot(std::uint32_t slot, EventTraceWriter& trace, Drained& drained);
    void convert(std::uint32_t slot, SlotState& state);
    [[nodiscard]] std::uint64_t lost_counter(std::uint32_t slot) const;
    [[nodiscard]] std::uint64_t written_counter(std::uint32_t slot) const;
    [[nodiscard]] std::uint64_t count_unread() const;

    const MemoryFile& file_;
    TickConversion conversion_;
    EventTally tally_;
    std::vector<SlotState> slots_;
    std::vector<std::uint32_t> active_;
    std::optional<LeaseKeeper> lease_;
    std::vector<snapscope_record> records_; // of one slot, between ring and trace
    std::vector<Event> events_;
    std::int64_t next_find_ns_ = 0, next_refine_ns_ = 0, refine_period_ns_ = 0;
    std::uint64_t implausible_ = 0, malformed_ = 0, unread_ = 0, lapses_ = 0, backward_stamps_ = 0;
};

} // namespace snapscope
