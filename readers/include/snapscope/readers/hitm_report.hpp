// What a LineTally says, as parts of a run: totals, matrices and warnings of the
// source `hitm` (docs/contracts.md).
#pragma once

#include <snapscope/readers/line_tally.hpp>
#include <snapscope/recording/run.hpp>

#include <functional>

namespace snapscope {

struct HitmContext {
    // The function at an instruction's address; "?" where none is known.
    std::function<std::string(std::uint64_t)> function;
    // The NUMA node whose memory holds the page that ADDRESS lies in.
    std::function<std::optional<std::uint32_t>(std::uint64_t)> home;
    std::vector<Cpu> cpus; // this machine's; empty: not known
};

// Loads missed the first level, and not one is marked HITM: the processor
// reports none, which says nothing about transfers.
[[nodiscard]] bool reports_no_hitm(const LineTally& tally);
inline constexpr const char* no_hitm_reason = "loads missed, and not one is marked HITM: this processor reports none";
inline constexpr const char* no_hitm_hint =
    "that is no sign of few transfers; use pcm, another processor, or linetimer";

// Where no HITM is reported, every figure of it is null, and no matrix is there.
void put_hitm(const LineTally& tally, const HitmContext& context, Run& run);

} // namespace snapscope
