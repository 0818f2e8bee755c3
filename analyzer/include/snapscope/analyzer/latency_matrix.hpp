// What a cache line's way costs, by distance: measured by `calibrate`, out of a
// table of core-to-core latencies, or made up and marked so.
#pragma once

#include <snapscope/analyzer/coherence.hpp>
#include <snapscope/base/result.hpp>

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace snapscope {

enum class MatrixSource { measured, file, synthetic };
[[nodiscard]] const char* to_string(MatrixSource source);

struct LatencyMatrix {
    MatrixSource source = MatrixSource::synthetic;
    std::string name; // file and machine, or what was made up
    // One way, in cycles of `cycles_per_ns`; nullopt: nobody told it.
    std::array<std::optional<double>, distance_count> cycles;
    double cycles_per_ns = 0;
};

// Round figures of a two-socket server at 2.8 GHz; between last-level caches of
// one socket a guess.  No machine.
[[nodiscard]] LatencyMatrix synthetic_matrix();

// The JSON of `calibrate`: medians over the pairs of each border.
[[nodiscard]] Result<LatencyMatrix> matrix_from_json(std::string_view text, const std::string& name);
// CSV with the columns machine, pair_class and median_ns; classes smt_sibling,
// same_llc, cross_llc, cross_socket, memory.  MACHINE may be empty where the
// table has only one.  CYCLES_PER_NS converts.
[[nodiscard]] Result<LatencyMatrix> matrix_from_csv(std::string_view text, const std::string& name,
                                                    const std::string& machine, double cycles_per_ns);
// FILE by its content; "FILE:MACHINE" names a machine of a table.
[[nodiscard]] Result<LatencyMatrix> read_matrix(const std::string& file, std::optional<double> cycles_per_ns);

// Cycles that TALLY's transfers and upgrades take, one after the other; nullopt
// where a distance that occurs has no cost.
[[nodiscard]] std::optional<double> cost_cycles(const LatencyMatrix& matrix, const CoherenceTally& tally);

} // namespace snapscope
