#include "slot_events.hpp"

#include "event_words.hpp"

#include <snapscope/probes/abi.h>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>

namespace snapscope {
namespace {

// Above every pid that Linux gives out, below 2^32.
constexpr std::uint32_t unknown_pid_base = 1U << 30U;
constexpr std::size_t max_parts = 16; // of one snapshot
constexpr std::size_t remembered_threads = 4096;

bool is_wait(const Event& event) {
    return event.type == SNAPSCOPE_EV_WAIT;
}

} // namespace

SlotEvents::SlotEvents(const Run& run, std::uint32_t process, std::int64_t epoch_ns, TraceOrder& order,
                       TraceOrder::Emit emit_now)
    : process_(process), epoch_ns_(epoch_ns), order_(order), emit_now_(std::move(emit_now)) {
    if (run.clock.ticks_per_ns && std::isfinite(*run.clock.ticks_per_ns) && *run.clock.ticks_per_ns > 0)
        ticks_per_ns_ = run.clock.ticks_per_ns;
    for (const snapscope::Slot& slot : run.slots)
        if (slot.pid && slot.backend)
            backends_[slot.slot] = {*slot.pid, *slot.backend};
}

std::int64_t SlotEvents::ticks_to_ns(std::uint32_t ticks) const {
    return ticks_per_ns_ ? static_cast<std::int64_t>(std::llround(static_cast<double>(ticks) / *ticks_per_ns_)) : 0;
}

std::int64_t SlotEvents::watermark(std::int64_t now) const {
    const std::int64_t ts = std::max(now, epoch_ns_) - epoch_ns_;
    return open_.empty() ? ts : std::min(ts, open_.begin()->first);
}

// Names the thread when a slot is new or has a new owner.
Status SlotEvents::own(Slot& slot, const Event& event) {
    if (slot.named && (event.pid == 0 || event.pid == slot.owner))
        return {};
    slot.named = true;
    slot.owner = event.pid;
    slot.thread = {process_, event.pid != 0 ? event.pid : unknown_pid_base + event.slot % unknown_pid_base};
    std::string name = event.pid != 0 ? fmt::format("backend {} slot {}", event.pid, event.slot)
                                      : fmt::format("backend of unknown pid, slot {}", event.slot);
    const auto known = backends_.find(event.slot);
    if (known != backends_.end() && known->second.first == event.pid)
        name += " (" + known->second.second + ")";
    SNAPSCOPE_TRY(emit_now_(metadata_json(slot.thread, "thread_name", TraceArgs().text("name", name))));
    return emit_now_(
        metadata_json(slot.thread, "thread_sort_index", TraceArgs().number("sort_index", std::uint64_t{event.slot})));
}

void SlotEvents::instant(const Slot& slot, std::int64_t ts, std::string_view name, const TraceArgs& args) {
    order_.add(ts, 0, instant_json(slot.thread, name, ts, args));
}

Status SlotEvents::event(const Event& event) {
    Slot& slot = slots_[event.slot];
    if (slot.named && event.pid != 0 && event.pid != slot.owner)
        drop_open(slot, event.slot); // the owner went away inside a snapshot
    SNAPSCOPE_TRY(own(slot, event));
    // Input is merged by time; a stamp before what is already out would break the order.
    const std::int64_t ts = std::max(std::max(event.time_ns, epoch_ns_) - epoch_ns_, order_.released());
    switch (event.type) {
    case SNAPSCOPE_EV_SNAPSHOT_START:
        start(slot, event.slot, ts);
        break;
    case SNAPSCOPE_EV_SNAPSHOT_DONE:
        done(slot, event, ts);
        break;
    case SNAPSCOPE_EV_WAIT:
    case SNAPSCOPE_EV_REBUILD:
        part(slot, event, ts);
        break;
    case SNAPSCOPE_EV_INVALIDATE:
        instant(slot, ts, "invalidation",
                TraceArgs().text("reason", reason_word(event.outcome)).number("generation", std::uint64_t{event.a}));
        break;
    case SNAPSCOPE_EV_HORIZON_REFRESH:
        instant(slot, ts, "horizon refresh",
                TraceArgs().number("horizon", std::uint64_t{event.a}).number("lines", std::uint64_t{event.lines}));
        break;
    default:
        ++counts_.not_drawn;
    }
    return {};
}

void SlotEvents::start(Slot& slot, std::uint32_t index, std::int64_t ts) {
    drop_open(slot, index);
    slot.start = ts;
    open_.emplace(ts, index);
}

// An open snapshot whose end will not come.
void SlotEvents::drop_open(Slot& slot, std::uint32_t index) {
    if (!slot.start)
        return;
    open_.erase({*slot.start, index});
    if (!slot.given_up)
        instant(slot, *slot.start, "snapshot without an end", TraceArgs());
    ++counts_.without_end;
    counts_.not_drawn += slot.parts.size();
    slot.start.reset();
    slot.given_up = false;
    slot.parts.clear();
}

bool SlotEvents::give_up_oldest() {
    if (open_.empty())
        return false;
    const auto [ts, index] = *open_.begin();
    open_.erase(open_.begin());
    Slot& slot = slots_[index];
    instant(slot, ts, "long snapshot begins", TraceArgs());
    slot.given_up = true;
    ++counts_.too_long;
    return true;
}

void SlotEvents::done(Slot& slot, const Event& event, std::int64_t ts) {
    ++counts_.snapshots;
    if (!slot.start || slot.given_up) {
        TraceArgs args = snapshot_args(event);
        if (slot.start)
            args.number("duration_us", static_cast<double>(ts - *slot.start) / 1000);
        else
            ++counts_.without_start;
        instant(slot, ts, slot.start ? "long snapshot ends" : "snapshot without a start", args);
        counts_.not_drawn += slot.parts.size();
    } else {
        const std::int64_t begin = *slot.start;
        open_.erase({begin, event.slot});
        draw_snapshot(slot, event, begin, ts);
        // One after the other from the start, waits first, cut to the snapshot.
        std::stable_partition(slot.parts.begin(), slot.parts.end(),
                              [](const Part& each) { return is_wait(each.event); });
        std::int64_t at = begin;
        for (const Part& each : slot.parts) {
            const std::int64_t end = at + ticks_to_ns(each.ticks);
            counts_.moved += end > ts ? 1U : 0U;
            draw_part(slot, each, at, std::min(end, ts));
            at = std::min(end, ts);
        }
    }
    slot.start.reset();
    slot.given_up = false;
    slot.parts.clear();
}

void SlotEvents::draw_snapshot(const Slot& slot, const Event& event, std::int64_t begin, std::int64_t end) {
    const TraceArgs args = snapshot_args(event);
    if (slice_ends_.size() > remembered_threads)
        forget_threads();
    std::int64_t& last_end = slice_ends_[slot.thread.tid];
    if (begin >= last_end) {
        order_.add(begin, end - begin, slice_json(slot.thread, "snapshot", begin, end - begin, args));
        last_end = end;
        return;
    }
    ++counts_.overlapping; // two slots of one pid: slices of a thread must nest
    const std::uint64_t id = next_id_++;
    order_.add(begin, 0, async_json('b', slot.thread, "snapshot", id, "snapshot", begin, args));
    order_.add(end, 0, async_json('e', slot.thread, "snapshot", id, "snapshot", end, TraceArgs()));
}

// A slice that ended before everything that is out cannot overlap a later one.
void SlotEvents::forget_threads() {
    std::erase_if(slice_ends_, [&](const auto& entry) { return entry.second <= order_.released(); });
}

void SlotEvents::part(Slot& slot, const Event& event, std::int64_t ts) {
    const Part part{event, is_wait(event) ? event.a : event.d};
    if (slot.start && slot.parts.size() < max_parts) {
        slot.parts.push_back(part);
        return;
    }
    const std::int64_t begin = ts - ticks_to_ns(part.ticks);
    counts_.moved += begin < order_.released() ? 1U : 0U;
    draw_part(slot, part, std::max(begin, order_.released()), ts);
}

void SlotEvents::draw_part(const Slot& slot, const Part& part, std::int64_t begin, std::int64_t end) {
    const Event& event = part.event;
    TraceArgs args;
    if (!is_wait(event))
        args.number("xcnt", std::uint64_t{event.a})
            .number("subxcnt", std::uint64_t{event.b})
            .number("lines", std::uint64_t{event.lines})
            .number("generation", std::uint64_t{event.c});
    args.number("ticks", std::uint64_t{part.ticks});
    if (part.ticks == std::numeric_limits<std::uint32_t>::max())
        args.flag("ticks_saturated", true);
    const std::string name = is_wait(event) ? fmt::format("wait for {}", wait_word(event.b)) : "rebuild";
    if (!ticks_per_ns_) { // a duration that nobody can convert is no picture
        instant(slot, end, name, args);
        return;
    }
    const char* const category = is_wait(event) ? "wait" : "rebuild";
    const std::uint64_t id = next_id_++;
    order_.add(begin, 0, async_json('b', slot.thread, category, id, name, begin, args));
    order_.add(end, 0, async_json('e', slot.thread, category, id, name, end, TraceArgs()));
}

void SlotEvents::finish() {
    for (auto& [index, slot] : slots_)
        drop_open(slot, index);
}

} // namespace snapscope
