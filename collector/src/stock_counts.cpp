#include "stock_counts.hpp"

#include <snapscope/collector/event_tally.hpp>
#include <snapscope/collector/source.hpp>

namespace snapscope {

std::vector<StockCount> stock_counts(const StockPlan& plan, const StockProbes& probes) {
    snapscope_stock_row sum{};
    for (const auto& row : probes.rows()) {
        const auto add = [&](auto snapscope_stock_row::*field) {
            sum.*field += __atomic_load_n(&(row.*field), __ATOMIC_RELAXED);
        };
        add(&snapscope_stock_row::scanned);
        add(&snapscope_stock_row::reused);
        add(&snapscope_stock_row::xids);
        add(&snapscope_stock_row::subxids);
        add(&snapscope_stock_row::suboverflowed);
        add(&snapscope_stock_row::new_xids);
        add(&snapscope_stock_row::ends_with_xid);
        add(&snapscope_stock_row::ends_without_xid);
        for (std::size_t mode = 0; mode < 2; ++mode) {
            sum.waits[mode] += row.waits[mode];
            sum.wait_ns[mode] += row.wait_ns[mode];
        }
    }
    const bool known = plan.unknown().empty();
    const auto when = [](bool told, std::uint64_t value) { return told ? std::optional(value) : std::nullopt; };
    const bool ends = plan.has(SNAPSCOPE_STOCK_XACT_END);
    const bool waits = plan.waits();
    return {{"snapshots_taken", "1", sum.scanned + sum.reused},
            {"snapshots_reused", "1", when(known, sum.reused)},
            {"snapshots_rebuilt", "1", when(known, plan.scans_only() ? 0 : sum.scanned)},
            {"snapshots_private_scans", "1", when(known, plan.scans_only() ? sum.scanned : 0)},
            {"snapshots_suboverflowed", "1", when(known, sum.suboverflowed)},
            {"xids_found", "1", when(known, sum.xids)},
            {"subxids_found", "1", when(known, sum.subxids)},
            {"xids_assigned", "1", when(plan.has(SNAPSCOPE_STOCK_NEW_XID), sum.new_xids)},
            {"xacts_with_xid", "1", when(ends, sum.ends_with_xid)},
            {"xacts_without_xid", "1", when(ends, sum.ends_without_xid)},
            {"lock_waits_exclusive", "1", when(waits, sum.waits[SNAPSCOPE_STOCK_EXCLUSIVE])},
            {"lock_waits_shared", "1", when(waits, sum.waits[SNAPSCOPE_STOCK_SHARED])},
            {"lock_wait_ns_exclusive", "ns", when(waits, sum.wait_ns[SNAPSCOPE_STOCK_EXCLUSIVE])},
            {"lock_wait_ns_shared", "ns", when(waits, sum.wait_ns[SNAPSCOPE_STOCK_SHARED])}};
}

void put_stock_slots(const StockPlan& plan, const StockProbes& probes, Run& run) {
    if (!plan.unknown().empty())
        return; // rows are processes in order of appearance
    const auto rows = probes.rows();
    for (std::uint32_t number = 0; number < rows.size(); ++number) {
        const auto& row = rows[number];
        const std::uint64_t taken = row.scanned + row.reused;
        if (taken == 0)
            continue;
        Slot& slot = slot_row(run, number);
        slot.pid = row.pid;
        slot.taken = taken;
        slot.reused = row.reused;
        slot.rebuilt = plan.scans_only() ? 0 : row.scanned;
        slot.private_scans = plan.scans_only() ? row.scanned : 0;
    }
}

void put_stock_histograms(const StockPlan& plan, const StockProbes& probes, Run& run) {
    std::array<LogHistogram, outcome_count> by_outcome;
    const std::size_t scanned = plan.scans_only() ? SNAPSCOPE_OUTCOME_PRIVATE_SCAN : SNAPSCOPE_OUTCOME_REBUILT;
    for (const auto& row : probes.rows()) {
        for (const auto& [kind, outcome] : {std::pair{SNAPSCOPE_STOCK_SCANNED, scanned},
                                            std::pair{SNAPSCOPE_STOCK_REUSED, std::size_t{SNAPSCOPE_OUTCOME_REUSED}}}) {
            if (row.max_ns[kind] == 0 && row.min_ns[kind] == 0)
                continue;
            for (std::size_t bucket = 0; bucket < SNAPSCOPE_BUCKETS; ++bucket)
                by_outcome[outcome].add_bucket(bucket, row.buckets[kind][bucket]);
            by_outcome[outcome].note_extremes(row.min_ns[kind], row.max_ns[kind]);
        }
    }
    for (auto& histogram : duration_histograms(by_outcome, "ebpf"))
        if (plan.unknown().empty() || histogram.label.empty())
            run.histograms.push_back(std::move(histogram));
    if (!plan.waits())
        return;
    const auto waits = probes.waits();
    for (const auto& [mode, label] :
         {std::pair{SNAPSCOPE_STOCK_EXCLUSIVE, "exclusive"}, std::pair{SNAPSCOPE_STOCK_SHARED, "shared"}})
        if (waits[mode].count() > 0)
            run.histograms.push_back(waits[mode].to_histogram("lock_wait", "ebpf", "ns", label));
}

} // namespace snapscope
