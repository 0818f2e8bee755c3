// Pictures of a comparison that need no script.
#pragma once

#include "diff_samples.hpp"
#include "html.hpp"

#include <snapscope/analyzer/diff.hpp>

namespace snapscope {

// The widest change that any interval of the table reaches, in percent: the
// same axis for all rows.
[[nodiscard]] double widest_change(const Diff& diff);

// The change and its interval on an axis from -reach to +reach percent; nothing
// where there is no percent.
void draw_interval(Html& html, const MetricDiff& metric, double reach);

// Both sides' values: each run a mark, pairs joined by a line, medians, and how
// the values are spread.
void draw_samples(Html& html, const MetricDiff& metric, const Samples& samples);

} // namespace snapscope
