#include "json_values.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/analyzer/mirror_summary.hpp>

namespace snapscope {
namespace {

constexpr const char* mirror = "mirror";

std::optional<double> mean(std::uint64_t sum, std::optional<std::uint64_t> looks) {
    return looks && *looks > 0 ? std::optional(static_cast<double>(sum) / static_cast<double>(*looks)) : std::nullopt;
}

const SlotSamples* samples_of(const Slot& slot) {
    for (const auto& samples : slot.samples)
        if (samples.source == mirror)
            return &samples;
    return nullptr;
}

std::optional<HorizonHolder> holder(const Run& run, std::optional<std::uint64_t> looks) {
    const Slot* most = nullptr;
    std::uint64_t held = 0;
    for (const Slot& slot : run.slots) {
        const SlotSamples* samples = samples_of(slot);
        if (samples == nullptr || samples->held_horizon.value_or(0) <= held)
            continue;
        held = *samples->held_horizon;
        most = &slot;
    }
    if (most == nullptr)
        return std::nullopt;
    const SlotSamples& samples = *samples_of(*most);
    return HorizonHolder{most->slot,
                         most->pid,
                         most->backend,
                         samples.database,
                         samples.horizon_age.value_or(0),
                         mean(held, looks).value_or(0)};
}

} // namespace

std::optional<MirrorSummary> summarize_mirror(const Run& run) {
    const auto get = [&](const char* name) { return total(run, name, mirror); };
    const auto samples = get("samples");
    if (samples.value_or(0) == 0)
        return std::nullopt;
    std::uint64_t taken = 0;
    std::uint64_t with_xid = 0;
    std::uint64_t with_xmin = 0;
    std::uint64_t waiting = 0;
    for (const Slot& slot : run.slots) {
        if (const SlotSamples* seen = samples_of(slot)) {
            taken += seen->taken;
            with_xid += seen->with_xid;
            with_xmin += seen->with_xmin.value_or(0);
            waiting += seen->waiting_for_lock.value_or(0);
        }
    }
    MirrorSummary out;
    out.samples = *samples;
    out.slots_taken = mean(taken, get("roster_samples"));
    out.slots_with_xid = mean(with_xid, get("xid_samples"));
    out.slots_with_xmin = mean(with_xmin, get("xmin_samples"));
    out.slots_waiting = mean(waiting, get("proc_samples"));
    out.xids_assigned = get("xids_assigned");
    out.xid_ends = get("xid_ends");
    out.oldest_xid_age = get("oldest_xid_age");
    out.oldest_xmin_age = get("oldest_xmin_age");
    out.horizon_age = get("horizon_age");
    out.lock_exclusive_share = mean(get("lock_exclusive_samples").value_or(0), samples);
    out.lock_shared_share = mean(get("lock_shared_samples").value_or(0), samples);
    out.holder = holder(run, get("xmin_samples"));
    return out;
}

nlohmann::json to_json(const std::optional<MirrorSummary>& summary) {
    if (!summary)
        return nullptr;
    const MirrorSummary& m = *summary;
    nlohmann::json held = nullptr;
    if (m.holder)
        held = {{"slot", m.holder->slot},
                {"pid", or_null(m.holder->pid)},
                {"backend", or_null(m.holder->backend)},
                {"database", or_null(m.holder->database)},
                {"age_xids", m.holder->age},
                {"share", m.holder->share}};
    return {{"kind", "sampled"},
            {"samples", m.samples},
            {"slots_taken", or_null(m.slots_taken)},
            {"slots_with_xid", or_null(m.slots_with_xid)},
            {"slots_with_xmin", or_null(m.slots_with_xmin)},
            {"slots_waiting_for_lock", or_null(m.slots_waiting)},
            {"xids_assigned", or_null(m.xids_assigned)},
            {"xid_ends", or_null(m.xid_ends)},
            {"oldest_xid_age_xids", or_null(m.oldest_xid_age)},
            {"oldest_xmin_age_xids", or_null(m.oldest_xmin_age)},
            {"horizon_age_xids", or_null(m.horizon_age)},
            {"lock_exclusive_share", or_null(m.lock_exclusive_share)},
            {"lock_shared_share", or_null(m.lock_shared_share)},
            {"horizon_holder", held}};
}

} // namespace snapscope
