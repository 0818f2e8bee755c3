// What it costs to move a cache line between the cores of one machine: the
// file that `calibrate` writes and `simulate` reads (docs/core-latency.md).
//
// "Cycles" are those of the counter named in `counter`; cycles / cycles_per_ns
// are ns.  One way is half of there and back.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

inline constexpr int core_latency_schema_version = 1;

// The narrowest thing that two CPUs share; a pair has exactly one.
enum class Border {
    same_core,    // SMT siblings: one first-level cache, no line leaves
    same_llc,     // other cores of one last-level cache
    same_node,    // of one NUMA node, but no last-level cache in common (or none known)
    cross_node,   // of one socket, other NUMA nodes
    cross_socket, // whatever node: several sockets may share one
};
inline constexpr std::size_t border_count = 5;
[[nodiscard]] const char* to_string(Border border);
[[nodiscard]] std::optional<Border> border_named(std::string_view name);
[[nodiscard]] Border border_between(const Cpu& a, const Cpu& b);

// Of a distribution; quantiles are values that occurred.
struct Spread {
    double min = 0, p10 = 0, p50 = 0, p90 = 0, p99 = 0;
};
// VALUES must not be empty; sorts them.
[[nodiscard]] Spread spread_of(std::vector<double>& values);

// A line bounced between CPUs a < b.
struct CorePair {
    std::uint32_t a = 0, b = 0;
    Border border = Border::same_llc;
    Spread one_way_cycles;                     // over rounds
    double counter_offset_cycles = 0;          // counter of b minus counter of a: half the asymmetry
    double counter_offset_bound = 0;           // the offset lies within plus or minus this, cycles
    std::uint64_t rounds = 0, rounds_lost = 0; // lost: no CPU time within the limit
};

// All pairs of one border.  `costs`: dearer than every border before it, beyond
// the spread between pairs; null where that cannot be told (no pairs on a side).
struct BorderCost {
    Border border = Border::same_llc;
    std::uint64_t pairs = 0;
    Spread one_way_cycles;        // over the pairs' medians
    std::optional<double> factor; // median over that of the narrower border before it
    std::optional<bool> costs;
};

// Serialized single loads of lines in a known state.
enum class LineState { own, clean_remote, dirty_remote, dram };
inline constexpr std::size_t line_state_count = 4;
[[nodiscard]] const char* to_string(LineState state);

struct LoadRow {
    Border border = Border::same_llc; // between the reader and the line's owner
    LineState state = LineState::own;
    std::uint64_t loads = 0;
    Spread cycles;
};

// A load of more cycles than `cycles` is taken for one of a line that had left.
// Any threshold in [low, high] does as well.  The rates are of loads that did
// not help to choose it.
struct LoadThreshold {
    double cycles = 0, low_cycles = 0, high_cycles = 0;
    std::uint64_t slow_loads = 0, missed = 0;     // lines that had left, and looked as if not
    std::uint64_t fast_loads = 0, false_slow = 0; // lines that were here, and looked as if not
    [[nodiscard]] double missed_rate() const;
    [[nodiscard]] double false_rate() const;
};

// Whether one load tells two states apart.
struct Separability {
    Border border = Border::same_llc;
    LineState fast = LineState::own, slow = LineState::dram;
    double error_rate = 0; // mean of both rates at the best threshold; 0.5 is tossing a coin
};

struct CoreLatencies {
    bool synthetic = false; // made up, not measured: every output must say so
    std::string tool_version;
    Host host;
    std::string counter;
    double cycles_per_ns = 1;
    std::uint64_t pairs_possible = 0; // more than `pairs`: a sample
    std::vector<CorePair> pairs;
    std::vector<BorderCost> borders; // from narrow to wide, those that exist
    std::vector<LoadRow> loads;
    std::optional<LoadThreshold> threshold; // own against left; null: cannot be told here
    std::vector<Separability> separable;
    std::vector<std::string> warnings;
};

// Derives `borders` from the pairs.
[[nodiscard]] std::vector<BorderCost> border_costs(const std::vector<CorePair>& pairs);

// One way between two CPUs, ns: of the pair, else the median of its border;
// 0 for one CPU, nullopt where neither is known.
[[nodiscard]] std::optional<double> one_way_ns(const CoreLatencies& latencies, std::uint32_t a, std::uint32_t b);

[[nodiscard]] nlohmann::json core_latencies_to_json(const CoreLatencies& latencies);
// Strict in what a model needs (clock, CPUs, pairs); an error names the place.
// Loads, threshold and separability are read back, too.
[[nodiscard]] Result<CoreLatencies> core_latencies_from_json(const nlohmann::json& json);
[[nodiscard]] Result<CoreLatencies> read_core_latencies(const std::filesystem::path& file);

} // namespace snapscope
