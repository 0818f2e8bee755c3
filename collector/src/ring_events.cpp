#include "ring_events.hpp"

#include <snapscope/collector/source.hpp>

#include <algorithm>
#include <chrono>
#include <thread>

namespace snapscope {
namespace {

using std::chrono::milliseconds;

constexpr auto calibration_time = milliseconds(20);
constexpr std::int64_t first_refine_ns = 50'000'000;
constexpr std::int64_t last_refine_ns = 1'000'000'000;
constexpr std::int64_t find_period_ns = 4'000'000;
constexpr std::uint32_t idle_drains_kept = 1000;
// A backend that had passed the lease's check may still be about to publish.
constexpr auto straggler_time = milliseconds(100);

} // namespace

Result<std::unique_ptr<RingEvents>> RingEvents::create(const MemoryFile& file) {
    const auto clock = file.header().clock;
#if !defined(__x86_64__)
    if (clock == SNAPSCOPE_CLOCK_TSC)
        return fail("the server stamps with a counter that this processor does not have");
#endif
    const auto first = sample_ticks(clock);
    std::this_thread::sleep_for(calibration_time);
    auto conversion = TickConversion::from(first, sample_ticks(clock));
    if (!conversion)
        return fail(conversion.error());
    return std::unique_ptr<RingEvents>(new RingEvents(file, *conversion));
}

RingEvents::RingEvents(const MemoryFile& file, TickConversion conversion)
    : file_(file), conversion_(conversion), tally_(file.header().slots) {
    slots_.reserve(file.header().slots);
    for (std::uint32_t slot = 0; slot < file.header().slots; ++slot) {
        SlotState state{.ring = {file.head(slot), file.records(slot), file.tail(slot), file.header().ring_capacity}};
        slots_.push_back(state);
    }
}

std::uint64_t RingEvents::lost_counter(std::uint32_t slot) const {
    return __atomic_load_n(&file_.counters(slot)->events_lost, __ATOMIC_ACQUIRE);
}

std::uint64_t RingEvents::written_counter(std::uint32_t slot) const {
    return __atomic_load_n(&file_.counters(slot)->events_written, __ATOMIC_ACQUIRE);
}

void RingEvents::enable() {
    // A collector that was killed may have left the rings running.
    __atomic_store_n(&file_.control()->enabled, 0U, __ATOMIC_RELEASE);
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        SlotState& state = slots_[slot];
        state.ring.skip_all(file_.ring_was_written(slot));
        state.written_before = written_counter(slot);
        state.lost_before = lost_counter(slot);
        state.lost_seen = state.lost_before;
        state.pid = __atomic_load_n(&file_.counters(slot)->owner_pid, __ATOMIC_RELAXED);
    }
    refine_period_ns_ = first_refine_ns;
    next_refine_ns_ = monotonic_ns() + refine_period_ns_;
    lease_.emplace(file_, conversion_.ticks_per_ns());
}

void RingEvents::disable() {
    if (lease_)
        lease_->stop();
}

void RingEvents::find_active() {
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        SlotState& state = slots_[slot];
        if (state.active || (written_counter(slot) - state.written_before == state.drained + state.unusable &&
                             lost_counter(slot) == state.lost_seen))
            continue;
        state.active = true;
        state.idle_drains = 0;
        active_.push_back(slot);
    }
}

void RingEvents::refine_clock() {
    const std::int64_t now = monotonic_ns();
    if (now < next_refine_ns_)
        return;
    conversion_.refine(sample_ticks(file_.header().clock));
    refine_period_ns_ = std::min(refine_period_ns_ * 2, last_refine_ns);
    next_refine_ns_ = now + refine_period_ns_;
}

void RingEvents::convert(std::uint32_t slot, SlotState& state) {
    events_.clear();
    for (const auto& record : records_) {
        if (record.type == SNAPSCOPE_EV_NONE || record.type >= SNAPSCOPE_EV_COUNT) {
            ++malformed_;
            ++state.unusable;
            continue;
        }
        std::int64_t time_ns = conversion_.to_ns(record.ticks);
        tally_.add(slot, record, time_ns);
        if (time_ns < state.last_ns) {
            ++backward_stamps_;
            time_ns = state.last_ns;
        }
        state.last_ns = time_ns;
        if (record.type == SNAPSCOPE_EV_SLOT_TAKEN)
            state.pid = record.a;
        else if (state.pid == 0)
            state.pid = __atomic_load_n(&file_.counters(slot)->owner_pid, __ATOMIC_RELAXED);
        events_.push_back({.time_ns = time_ns,
                           .slot = slot,
                           .pid = state.pid,
                           .type = record.type,
                           .outcome = record.outcome,
                           .cpu = record.cpu,
                           .lines = record.lines,
                           .flags = record.flags,
                           .a = record.a,
                           .b = record.b,
                           .c = record.c,
                           .d = record.d});
        ++state.drained;
        if (record.type == SNAPSCOPE_EV_SLOT_RELEASED)
            state.pid = 0;
    }
}

Status RingEvents::drain_slot(std::uint32_t slot, EventTraceWriter& trace, Drained& drained) {
    SlotState& state = slots_[slot];
    // Losses first: what is counted now happened before the head that is read next.
    const std::uint64_t lost = lost_counter(slot);
    records_.clear();
    const std::uint64_t implausible = state.ring.drain(records_);
    implausible_ += implausible;
    state.unusable += implausible;
    // Drop-newest loses only between two drains, or after the last record of a
    // full ring: before and after this batch, never inside it.
    const bool gap = lost != state.lost_seen || implausible != 0;
    state.lost_seen = lost;
    if (gap)
        tally_.gap(slot);
    convert(slot, state);
    if (gap)
        tally_.gap(slot);

    state.idle_drains = records_.empty() ? state.idle_drains + 1 : 0;
    drained.records += records_.size();
    drained.fullest = std::max(drained.fullest, static_cast<double>(records_.size()) / file_.header().ring_capacity);
    const std::uint64_t missing = lost - state.lost_before + state.unusable;
    if (events_.empty() && missing == state.reported)
        return {};
    state.reported = missing;
    return trace.append(EventSource::ring, slot, events_, missing);
}

Result<Drained> RingEvents::drain(EventTraceWriter& trace) {
    refine_clock();
    if (const std::int64_t now = monotonic_ns(); now >= next_find_ns_) {
        find_active();
        next_find_ns_ = now + find_period_ns;
    }
    Drained drained;
    for (const std::uint32_t slot : active_)
        SNAPSCOPE_TRY(drain_slot(slot, trace, drained));
    std::erase_if(active_, [&](std::uint32_t slot) {
        SlotState& state = slots_[slot];
        state.active = state.idle_drains < idle_drains_kept;
        return !state.active;
    });
    return drained;
}

std::uint64_t RingEvents::count_unread() const {
    std::uint64_t unread = 0;
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        const SlotState& state = slots_[slot];
        const std::uint64_t written = written_counter(slot) - state.written_before;
        const std::uint64_t known = state.drained + state.unusable;
        unread += written > known ? written - known : 0;
    }
    return unread;
}

Status RingEvents::close(EventTraceWriter& trace) {
    if (!lease_)
        return {};
    disable();
    lapses_ = lease_->lapses();
    const auto until = std::chrono::steady_clock::now() + straggler_time;
    do {
        next_find_ns_ = 0;
        auto drained = drain(trace);
        if (!drained)
            return fail(drained.error());
        if (drained->records == 0 && count_unread() == 0)
            break;
        std::this_thread::sleep_for(milliseconds(1));
    } while (std::chrono::steady_clock::now() < until);
    // Losses after the last drain of a slot that has gone quiet.
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
        Drained rest;
        if (lost_counter(slot) != slots_[slot].lost_seen)
            SNAPSCOPE_TRY(drain_slot(slot, trace, rest));
    }
    unread_ = count_unread();
    conversion_.refine(sample_ticks(file_.header().clock));
    return {};
}

std::uint64_t RingEvents::ring_full() const {
    std::uint64_t lost = 0;
    for (const auto& state : slots_)
        lost += state.lost_seen - state.lost_before;
    return lost;
}

} // namespace snapscope
