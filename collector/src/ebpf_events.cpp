#include "ebpf_events.hpp"

#include "snapshot_bpf.h"

#include <algorithm>
#include <cstring>

namespace snapscope {

Result<std::unique_ptr<EbpfEvents>> EbpfEvents::create(int ring_map, std::uint64_t ring_bytes,
                                                       std::function<std::uint64_t()> lost, std::uint32_t slots) {
    std::unique_ptr<EbpfEvents> events(new EbpfEvents(ring_bytes, std::move(lost), slots));
    events->ring_.reset(ring_buffer__new(ring_map, &EbpfEvents::take, events.get(), nullptr));
    if (!events->ring_)
        return fail(bpf_error("cannot map the BPF ring buffer", errno));
    return events;
}

EbpfEvents::EbpfEvents(std::uint64_t ring_bytes, std::function<std::uint64_t()> lost, std::uint32_t slots)
    : ring_bytes_(ring_bytes), read_lost_(std::move(lost)), slots_(slots) {}

int EbpfEvents::take(void* self, void* data, std::size_t bytes) {
    static_cast<EbpfEvents*>(self)->take(data, bytes);
    return 0;
}

void EbpfEvents::take(const void* data, std::size_t bytes) {
    snapscope_bpf_event raw{};
    if (bytes < sizeof raw) {
        ++malformed_;
        return;
    }
    std::memcpy(&raw, data, sizeof raw);
    // Slot and words come from the server's memory.
    if (raw.slot >= slots_.size() || raw.record.type == SNAPSCOPE_EV_NONE || raw.record.type >= SNAPSCOPE_EV_COUNT) {
        ++malformed_;
        return;
    }
    ++records_;
    Pending& pending = slots_[raw.slot];
    auto time_ns = static_cast<std::int64_t>(raw.record.ticks);
    backward_ += time_ns < pending.last_ns ? 1 : 0;
    time_ns = std::max(time_ns, pending.last_ns);
    pending.last_ns = time_ns;
    if (pending.events.empty())
        touched_.push_back(raw.slot);
    pending.events.push_back({.time_ns = time_ns,
                              .slot = raw.slot,
                              .pid = raw.pid,
                              .type = raw.record.type,
                              .outcome = raw.record.outcome,
                              .cpu = raw.record.cpu,
                              .lines = raw.record.lines,
                              .flags = raw.record.flags,
                              .a = raw.record.a,
                              .b = raw.record.b,
                              .c = raw.record.c,
                              .d = raw.record.d});
}

Status EbpfEvents::write_pending(EventTraceWriter& trace) {
    lost_ = std::max(lost_, read_lost_());
    // The kernel does not know whose events it dropped: they stand with slot 0.
    if (lost_ != reported_ && slots_[0].events.empty())
        touched_.push_back(0);
    reported_ = lost_;
    for (const std::uint32_t slot : touched_) {
        SNAPSCOPE_TRY(trace.append(EventSource::ebpf, slot, slots_[slot].events, slot == 0 ? lost_ : 0));
        slots_[slot].events.clear();
    }
    touched_.clear();
    return {};
}

Result<Drained> EbpfEvents::drain(EventTraceWriter& trace) {
    const std::uint64_t before = records_;
    ring_buffer__consume(ring_.get());
    SNAPSCOPE_TRY(write_pending(trace));
    constexpr std::uint64_t bytes_each = sizeof(snapscope_bpf_event) + BPF_RINGBUF_HDR_SZ;
    const std::uint64_t got = records_ - before;
    return Drained{got, static_cast<double>(got * bytes_each) / static_cast<double>(ring_bytes_)};
}

Status EbpfEvents::close(EventTraceWriter& trace) {
    if (detach_)
        detach_();
    auto drained = drain(trace);
    return drained ? Status{} : fail(drained.error());
}

} // namespace snapscope
