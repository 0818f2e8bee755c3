// The event-driven model (analyzer/simulate.hpp) against what really happened:
// fed with the server's own events of a phase, line by line beside the emulated
// machine's accesses of the same phase.
#pragma once

#include <snapscope/emulator/phase_recorder.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace snapscope::emulator {

struct ModelLine {
    std::string structure;
    std::uint64_t index = 0, address = 0;
    std::uint64_t emulated = 0, modelled = 0; // fetches and upgrades of caches; not those from memory
};

struct ModelCheck {
    std::uint64_t events = 0, unmatched = 0; // events whose moment nobody saw: left out
    std::uint64_t snapshots = 0;             // by the events
    std::vector<ModelLine> lines;            // most emulated first
};

// The events in the order in which they happened, with their moments for times.
// Those that no reading of the clock belongs to are left out and counted.
[[nodiscard]] std::vector<Event> order_events(const RecordedPhase& phase, std::uint64_t& unmatched);

// RUN says where the structures lie.  Fails where the phase has no events.
[[nodiscard]] Result<ModelCheck> check_model(const Run& run, const RecordedPhase& phase, const Topology& topology);

} // namespace snapscope::emulator
