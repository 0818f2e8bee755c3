// A sweep as one HTML file (see report.hpp): tps across x with every repeat,
// cached against uncached, each metric on the same axis, and what an analysis
// does not show.  Used by `snapscope report SWEEP`.
#pragma once

#include <snapscope/analyzer/analysis.hpp>
#include <snapscope/recording/run.hpp>

#include <string>
#include <vector>

namespace snapscope {

// Where the arrays of a server lay at one point of the sweep.
struct SweepLayout {
    double x = 0;
    std::string group; // the point's keys, e.g. "mode off"
    std::vector<Array> arrays;
};

struct SweepReport {
    std::string label; // the path as given
    Analysis analysis;
    std::map<std::string, std::string> kinds; // metric -> kind of evidence; "table" for a column
    std::vector<SweepLayout> layouts;         // empty: a table, or a server that does not tell
};

[[nodiscard]] std::string report_sweep(const SweepReport& report, const std::string& tool);

} // namespace snapscope
