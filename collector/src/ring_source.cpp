#include "ring_source.hpp"

#include <algorithm>

namespace snapscope {
namespace {

struct CounterName {
    const char* name;
    const char* unit;
    std::uint64_t CounterSums::*field;
};

// docs/contracts.md
constexpr CounterName counter_names[] = {
    {"snapshots_taken", "1", &CounterSums::taken},
    {"snapshots_reused", "1", &CounterSums::reused},
    {"snapshots_rebuilt", "1", &CounterSums::rebuilt},
    {"snapshots_private_scans", "1", &CounterSums::private_scans},
    {"snapshots_waited", "1", &CounterSums::waited},
    {"snapshots_lockfree", "1", &CounterSums::lockfree},
    {"snapshots_kept", "1", &CounterSums::kept},
    {"snapshots_retries", "1", &CounterSums::retries},
    {"snapshots_gave_up", "1", &CounterSums::gave_up},
    {"builder_spins", "1", &CounterSums::spins},
    {"horizon_refreshes", "1", &CounterSums::horizon_refreshes},
    {"lines_scanned", "lines", &CounterSums::lines_scanned},
    {"xids_assigned", "1", &CounterSums::xids_assigned},
    {"xacts_with_xid", "1", &CounterSums::xacts_with_xid},
    {"xacts_without_xid", "1", &CounterSums::xacts_without_xid},
    {"events_written", "1", &CounterSums::events_written},
    {"events_lost", "1", &CounterSums::events_lost},
};

constexpr std::uint32_t first_reason = SNAPSCOPE_REASON_XACT_END;

} // namespace

Result<std::unique_ptr<RingSource>> RingSource::attach(MemoryFile& file, bool events) {
    SNAPSCOPE_TRY(file.become_consumer());
    std::unique_ptr<RingSource> source(new RingSource(file));
    if (events) {
        auto feed = RingEvents::create(file);
        if (!feed)
            return fail(feed.error());
        source->events_ = std::move(*feed);
    }
    return source;
}

RingSource::RingSource(MemoryFile& file) : file_(file), table_(file.header().slots) {}

std::vector<SeriesName> RingSource::series() const {
    std::vector<SeriesName> names;
    for (const auto& counter : counter_names)
        names.push_back({counter.name, counter.unit});
    for (std::uint32_t reason = first_reason; reason < SNAPSCOPE_REASON_COUNT; ++reason)
        names.push_back({std::string("invalidations_") + reason_name(reason), "1"});
    return names;
}

CounterSums RingSource::read() {
    std::vector<snapscope_counters> now;
    now.reserve(file_.header().slots);
    for (std::uint32_t slot = 0; slot < file_.header().slots; ++slot)
        now.push_back(load_counters(file_.counters(slot)));
    return table_.advance(now);
}

void RingSource::start(std::int64_t now_ns) {
    start_ns_ = now_ns;
    incarnation_ = file_.incarnation();
    read();
    if (events_)
        events_->enable();
}

// Whether the total means something here: of the mode, and of the rings, which an
// earlier collector may have left filling up, only where their events are read.
bool RingSource::tells(const char* total) const {
    const bool of_events = std::string_view(total) == "events_written" || std::string_view(total) == "events_lost";
    return of_events ? events_ != nullptr : mode_tells(file_.header().mode, total);
}

std::vector<Value> RingSource::sample(std::int64_t /*now_ns*/) {
    const CounterSums added = read();
    const std::uint32_t incarnation = file_.incarnation();
    const bool gap = !lost_ && (table_.restarted() || incarnation != incarnation_);
    restarts_ += gap ? 1 : 0;
    incarnation_ = incarnation;

    std::vector<Value> values;
    const auto put = [&](std::uint64_t value, bool known) {
        values.push_back(gap || !known ? Value{} : Value{static_cast<double>(value)});
    };
    for (const auto& counter : counter_names)
        put(added.*counter.field, tells(counter.name));
    for (std::uint32_t reason = first_reason; reason < SNAPSCOPE_REASON_COUNT; ++reason)
        put(added.invalidations[reason], true);
    return values;
}

void RingSource::stop() {
    if (events_)
        events_->disable();
}

void RingSource::put_totals(Run& run) const {
    const CounterSums total = table_.total();
    const auto put = [&](std::string name, const char* unit, std::optional<std::uint64_t> value) {
        run.totals.push_back(
            {std::move(name), "ring", unit, value ? std::optional(static_cast<std::int64_t>(*value)) : std::nullopt});
    };
    for (const auto& counter : counter_names)
        put(counter.name, counter.unit, tells(counter.name) ? std::optional(total.*counter.field) : std::nullopt);
    for (std::uint32_t reason = first_reason; reason < SNAPSCOPE_REASON_COUNT; ++reason)
        put(std::string("invalidations_") + reason_name(reason), "1", total.invalidations[reason]);
    if (!events_)
        return;
    const EventTally& tally = events_->tally();
    put("event_snapshots_taken", "1", tally.of_type(SNAPSCOPE_EV_SNAPSHOT_DONE));
    put("event_snapshots_reused", "1", tally.snapshots(SNAPSCOPE_OUTCOME_REUSED));
    put("event_snapshots_rebuilt", "1", tally.snapshots(SNAPSCOPE_OUTCOME_REBUILT));
    put("event_snapshots_private_scans", "1", tally.snapshots(SNAPSCOPE_OUTCOME_PRIVATE_SCAN));
}

void RingSource::put_slots(Run& run) const {
    for (std::uint32_t slot = 0; slot < file_.header().slots; ++slot) {
        const CounterSums& total = table_.total(slot);
        const auto& last = table_.last(slot);
        if (last.owner_pid == 0 && total == CounterSums{})
            continue;
        Slot& row = slot_row(run, slot);
        if (last.owner_pid != 0)
            row.pid = last.owner_pid;
        row.taken = total.taken;
        row.reused = total.reused;
        row.rebuilt = total.rebuilt;
        row.private_scans = total.private_scans;
        row.events_lost = total.events_lost;
    }
}

void RingSource::put_durations(Run& run) const {
    if (!events_)
        return;
    for (auto& histogram : duration_histograms(events_->tally().durations(), "ring"))
        run.histograms.push_back(std::move(histogram));
}

void RingSource::look(Run& run) const {
    put_slots(run);
    put_durations(run);
}

void RingSource::finish(std::int64_t now_ns, Run& run) {
    end_ns_ = now_ns;
    if (restarts_ > 0)
        run.warnings.push_back("the server restarted after a crash during the recording: what happened around it is "
                               "missing, and its windows are empty");
    put_totals(run);
    put_slots(run);
    const CounterSums total = table_.total();
    if (const std::uint64_t scans = total.rebuilt + total.private_scans; scans > 0)
        run.layout.lines_per_scan = static_cast<double>(total.lines_scanned) / static_cast<double>(scans);
    put_durations(run);
    if (!events_)
        return;
    run.clock.ticks_per_ns = events_->clock().ticks_per_ns();
    run.clock.calibration_error_ns = events_->clock().worst_residual_ns();
    run.clock.backward_stamps += events_->backward_stamps();
}

SourceStatus RingSource::status() const {
    SourceStatus status = counted_status("ring", start_ns_, end_ns_);
    if (events_) {
        status.records = events_->tally().events();
        status.losses = {{"ring_full", events_->ring_full()},
                         {"implausible", events_->implausible()},
                         {"malformed", events_->malformed()},
                         {"unread", events_->unread()}};
        std::erase_if(status.losses, [](const NamedCount& way) { return way.count == 0; });
        for (const auto& way : status.losses)
            status.lost += way.count;
        if (status.lost > 0) {
            status.state = SourceState::degraded;
            status.reason = std::to_string(status.lost) + " events lost";
            status.hint = "enlarge the server's rings or record fewer events";
        }
        if (events_->lapses() > 0) {
            status.state = SourceState::degraded;
            status.reason += (status.reason.empty() ? "" : ", ") + std::string("the rings paused ") +
                             std::to_string(events_->lapses()) + " times because the collector got no CPU";
        }
    }
    if (restarts_ > 0) {
        status.state = SourceState::degraded;
        status.reason += (status.reason.empty() ? "" : ", ") + std::string("the server restarted after a crash");
    }
    return status;
}

} // namespace snapscope
