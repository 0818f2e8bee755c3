// Two sets of measurements of one metric, judged.  Used by diff and by
// reports; the statistics themselves are in rank_tests.hpp.
#pragma once

#include <snapscope/analyzer/statistics.hpp>

#include <cstddef>
#include <optional>
#include <span>

namespace snapscope {

enum class Verdict { higher, lower, no_difference_shown, too_few_runs };
[[nodiscard]] const char* to_string(Verdict verdict); // "no difference shown", ...

struct Comparison {
    Verdict verdict = Verdict::too_few_runs;
    std::optional<double> p_value;            // null: too few runs
    std::optional<double> change_percent;     // Hodges-Lehmann on the log scale; null where a value is not above 0
    std::optional<Interval> interval_percent; // null: too few runs, or as above
    std::optional<double> change;             // in the metric's unit, only where percent does not exist
    std::optional<Interval> interval;
    bool exact = true;
    bool logarithmic = true; // ratios were compared; false: differences, because a value is not above 0
    // Runs (unpaired, each side) or pairs that are missing for a test.
    std::size_t missing_base = 0, missing_new = 0, missing_pairs = 0;
};

// Positions pair up: base[i] with other[i].  Both have the same length.
// Signed-rank on log ratios; on differences where a value is not above 0.
[[nodiscard]] Comparison compare_paired(std::span<const double> base, std::span<const double> other);

// Mann-Whitney on logarithms; on the values where one is not above 0.
[[nodiscard]] Comparison compare_unpaired(std::span<const double> base, std::span<const double> other);

} // namespace snapscope
