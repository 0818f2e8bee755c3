// Runs and comparisons to make reports of in tests: by formula, so that a test
// can say what must be in the page.
#pragma once

#include <snapscope/dashboards/report.hpp>

namespace snapscope::samples {

// Every view has something: 1120 slots, six kinds of evidence, a gap and a
// spike in the series, matrices, a horizon with its holder.
[[nodiscard]] Run rich_run();
inline constexpr double spike_per_second = 987654; // of reused snapshots, in one window of rich_run()

// Nothing but sources that could not be had.
[[nodiscard]] Run empty_run();

// Markup, quotes, other directions, pictures and damaged bytes wherever a
// string of a run comes from outside.
[[nodiscard]] Run hostile_run();
[[nodiscard]] const std::vector<std::string>& hostile_names();

// So many windows of four series.
[[nodiscard]] Run long_run(std::size_t windows);

// `rounds` pairs of off against copy, or as many runs of each that are not paired.
[[nodiscard]] DiffReport comparison(std::uint32_t rounds, bool paired);

} // namespace snapscope::samples
