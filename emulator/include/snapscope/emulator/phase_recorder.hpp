// The plug-in's stream into traces: one a phase of the guest's plan.
#pragma once

#include <snapscope/emulator/server_map.hpp>
#include <snapscope/recording/access_trace.hpp>
#include <snapscope/recording/event.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct snapscope_stream_record; // shared/stream.h

namespace snapscope::emulator {

// Code that the server has mapped, as its guest says.
struct MappedText {
    std::uint64_t from = 0, to = 0;
    std::string file;
};

struct ServerInGuest {
    std::vector<TracedRange> ranges;
    std::vector<MappedText> texts;
};

// The TSC was read.  `moment` counts the accesses recorded until then: a clock
// that all CPUs agree on.
struct ClockReading {
    std::uint8_t cpu = 0;
    std::uint64_t host_ticks = 0;
    std::int64_t moment = 0;
};

struct RecordedPhase {
    std::uint64_t number = 0; // of the plan
    AccessTrace trace;
    std::uint64_t barriers = 0, timeouts = 0; // of the pacing
    std::uint64_t foreign = 0;                // accesses of other programs, left out
    std::uint64_t snapshots = 0;              // within the window
    // Where the server's own events were asked for: stamped by the guest's TSC, as they lie in the rings.
    std::vector<Event> events;
    std::vector<ClockReading> clock_readings; // in their order
    std::uint64_t guest_ticks_ahead = 0;      // of the host's
};

// One phase at a time.
class PhaseRecorder {
  public:
    // CLIENTS connections are in the proc array while all are at work.
    PhaseRecorder(const ServerMap& server, const ServerInGuest& guest, std::uint64_t clients);

    void start(std::uint64_t number);
    // An access or a mark.
    [[nodiscard]] Status take(const snapscope_stream_record& record);
    [[nodiscard]] RecordedPhase finish();

    [[nodiscard]] std::uint64_t snapshots() const { return snapshots_; } // so far, of all

  private:
    struct LastTouch {
        std::size_t entry = 0;
        std::uint32_t snapshot = 0; // of its CPU, when it was made
        bool any = false;
    };
    std::uint32_t line_index(std::uint64_t address);
    std::uint16_t function_index(std::uint64_t pc);
    std::string function_name(std::uint64_t pc) const;
    void part();
    void take_mark(const snapscope_stream_record& record);
    void take_access(const snapscope_stream_record& record);

    const ServerMap& server_;
    const ServerInGuest& guest_;
    std::uint64_t clients_;
    RecordedPhase phase_;
    std::unordered_map<std::uint64_t, std::uint32_t> lines_;
    std::unordered_map<std::uint64_t, std::uint16_t> functions_; // by pc
    std::vector<LastTouch> last_touch_;                          // by line
    std::vector<std::uint32_t> snapshot_of_cpu_;
    std::vector<bool> nested_;              // by CPU: the next entry is no new snapshot
    std::uint64_t added_ = 0, removed_ = 0; // of the proc array
    std::optional<std::uint64_t> window_begin_, window_end_;
    std::int64_t moment_ = 0;
    std::uint64_t snapshots_ = 0, snapshots_at_begin_ = 0, snapshots_at_end_ = 0;
};

} // namespace snapscope::emulator
