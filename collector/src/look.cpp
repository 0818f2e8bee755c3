#include <snapscope/collector/look.hpp>

#include <algorithm>
#include <map>

namespace snapscope {
namespace {

using Count = std::optional<std::uint64_t>;

// A slot that another backend took may count from nothing again.
void take_off(Count& now, const Count& before) {
    if (now && before)
        *now -= std::min(*now, *before);
}

Histogram added(const Histogram& now, const std::vector<Histogram>& before) {
    Histogram out = now;
    out.min.reset();
    out.max.reset();
    for (const Histogram& old : before) {
        if (old.source != now.source || old.label != now.label || old.name != now.name)
            continue;
        // A histogram that grew has more buckets; a bucket is found by its bound.
        for (std::size_t i = 0; i < out.counts.size(); ++i) {
            const auto place = std::ranges::lower_bound(old.bounds, out.bounds[i]);
            const auto at = static_cast<std::size_t>(place - old.bounds.begin());
            if (at < old.counts.size() && *place == out.bounds[i])
                out.counts[i] -= std::min(out.counts[i], old.counts[at]);
        }
    }
    return out;
}

std::vector<CpuShare> added(const std::vector<CpuShare>& now, const std::vector<CpuShare>& before) {
    std::vector<CpuShare> out;
    for (CpuShare share : now) {
        const auto old = std::ranges::find(before, share.cpu, &CpuShare::cpu);
        share.run_ns -= old == before.end() ? 0 : old->run_ns;
        if (share.run_ns > 0)
            out.push_back(share);
    }
    return out;
}

void take_off(SlotSamples& now, const std::vector<SlotSamples>& before) {
    const auto old = std::ranges::find(before, now.source, &SlotSamples::source);
    if (old == before.end())
        return;
    now.taken -= std::min(now.taken, old->taken);
    now.with_xid -= std::min(now.with_xid, old->with_xid);
    take_off(now.xmin_samples, old->xmin_samples);
    take_off(now.with_xmin, old->with_xmin);
    take_off(now.held_horizon, old->held_horizon);
    take_off(now.proc_samples, old->proc_samples);
    take_off(now.waiting_for_lock, old->waiting_for_lock);
}

Slot added(const Slot& now, const Slot& before) {
    Slot out = now;
    for (Count Slot::*count :
         {&Slot::taken, &Slot::reused, &Slot::rebuilt, &Slot::private_scans, &Slot::events_lost, &Slot::migrations,
          &Slot::migrations_across_llc, &Slot::migrations_across_node, &Slot::migrations_across_socket})
        take_off(out.*count, before.*count);
    out.residency = added(now.residency, before.residency);
    for (SlotSamples& samples : out.samples)
        take_off(samples, before.samples);
    return out;
}

} // namespace

Run look_since(const Run& before, const Run& now) {
    Run out;
    for (const Histogram& histogram : now.histograms)
        out.histograms.push_back(added(histogram, before.histograms));
    std::map<std::uint32_t, const Slot*> earlier;
    for (const Slot& slot : before.slots)
        earlier[slot.slot] = &slot;
    for (const Slot& slot : now.slots) {
        const auto old = earlier.find(slot.slot);
        out.slots.push_back(old == earlier.end() ? slot : added(slot, *old->second));
    }
    return out;
}

} // namespace snapscope
