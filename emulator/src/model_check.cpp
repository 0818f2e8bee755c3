#include <snapscope/analyzer/simulate.hpp>
#include <snapscope/emulator/model_check.hpp>
#include <snapscope/emulator/truth.hpp>
#include <snapscope/probes/abi.h>

#include <algorithm>
#include <map>

namespace snapscope::emulator {
namespace {

std::uint64_t moved(const DistanceCounts& fetches, const DistanceCounts& upgrades) {
    return sum(fetches) - fetches[static_cast<std::size_t>(Distance::from_memory)] + sum(upgrades);
}

// All of the phase counts, since the model does not know the window.
PhaseTruth whole_truth(const RecordedPhase& phase, const Topology& topology) {
    RecordedPhase whole = phase;
    whole.trace.window_begin = 0;
    whole.trace.window_end = whole.trace.accesses.size();
    return analyse_phase(whole, topology);
}

EventPull pull_from(const std::vector<Event>& events, std::size_t& at) {
    return [&events, &at](std::span<EventTraceReader::Item> items) -> Result<std::size_t> {
        const std::size_t count = std::min(items.size(), events.size() - at);
        for (std::size_t i = 0; i < count; ++i)
            items[i] = {EventSource::ring, events[at++]};
        return count;
    };
}

} // namespace

std::vector<Event> order_events(const RecordedPhase& phase, std::uint64_t& unmatched) {
    std::map<std::uint16_t, std::vector<ClockReading>> by_cpu; // each in the order of time
    for (const ClockReading& reading : phase.clock_readings)
        by_cpu[reading.cpu].push_back(reading);
    std::vector<Event> out;
    unmatched = 0;
    for (Event event : phase.events) {
        // The reading that the stamp came of: the last before it on its CPU.
        const std::uint64_t host = static_cast<std::uint64_t>(event.time_ns) - phase.guest_ticks_ahead;
        const auto& readings = by_cpu[event.cpu];
        const auto after = std::ranges::upper_bound(readings, host, {}, &ClockReading::host_ticks);
        if (after == readings.begin()) {
            ++unmatched;
            continue;
        }
        event.time_ns = std::prev(after)->moment;
        // A wait is stated in ticks, which are no moments.
        if (event.type == SNAPSCOPE_EV_WAIT)
            event.a = 0;
        out.push_back(event);
    }
    std::ranges::stable_sort(out, {}, &Event::time_ns);
    return out;
}

Result<ModelCheck> check_model(const Run& run, const RecordedPhase& phase, const Topology& topology) {
    ModelCheck out;
    const std::vector<Event> events = order_events(phase, out.unmatched);
    if (events.empty())
        return fail("the load has no events of the server");
    out.events = events.size();
    SimulateOptions options;
    options.topology = topology;
    options.protocol = Protocol::mesif;
    std::size_t at = 0;
    const auto model = simulate(run, pull_from(events, at), options);
    if (!model)
        return fail(model.error());
    out.snapshots = model->snapshots;
    std::map<std::uint64_t, ModelLine> lines;
    for (const LineTruth& line : whole_truth(phase, topology).by_line) {
        if (!makes_snapshot(line.structure))
            continue;
        ModelLine& row = lines[line.address];
        row = {line.structure, line.index, line.address, moved(line.moved.fetches, line.moved.upgrades), 0};
    }
    for (const LineTally& line : model->by_line) {
        ModelLine& row = lines[line.address];
        if (row.structure.empty())
            row = {line.structure, line.index, line.address, 0, 0};
        row.modelled += moved(line.tally.transfers, line.tally.upgrades);
    }
    for (const auto& [address, line] : lines)
        if (line.emulated + line.modelled > 0)
            out.lines.push_back(line);
    std::ranges::stable_sort(out.lines, std::greater<>{}, &ModelLine::emulated);
    return out;
}

} // namespace snapscope::emulator
