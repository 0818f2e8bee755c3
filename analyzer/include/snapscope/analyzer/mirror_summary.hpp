// What the samples of the proc array say about a run (source `mirror`).
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

namespace snapscope {

// Who held the horizon back in most looks.
struct HorizonHolder {
    std::uint32_t slot = 0;
    std::optional<std::uint32_t> pid;      // at the end of the run
    std::optional<std::string> backend;    // client, prepared transaction, ...
    std::optional<std::uint32_t> database; // oid; 0: none
    std::uint64_t age = 0;                 // the most seen, in xids
    double share = 0;                      // of the looks at all xmins
};

// Means over the looks that could tell; nullopt where none could.
struct MirrorSummary {
    std::uint64_t samples = 0;
    std::optional<double> slots_taken, slots_with_xid, slots_with_xmin;
    std::optional<std::uint64_t> xids_assigned, xid_ends;
    std::optional<std::uint64_t> oldest_xid_age, oldest_xmin_age, horizon_age;
    std::optional<double> lock_exclusive_share, lock_shared_share; // of looks that found ProcArrayLock held so
    std::optional<double> slots_waiting;                           // for ProcArrayLock
    std::optional<HorizonHolder> holder;
};

// Nullopt where the mirror took no sample.
[[nodiscard]] std::optional<MirrorSummary> summarize_mirror(const Run& run);
[[nodiscard]] nlohmann::json to_json(const std::optional<MirrorSummary>& summary);

} // namespace snapscope
