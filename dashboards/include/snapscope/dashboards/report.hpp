// One HTML file that needs nothing beside itself: no network, no other file, no
// program but a browser.  Used by `snapscope report`.
//
// What is said stands in the page as text and tables, so it reads with scripts
// off, in print and by a screen reader; the script draws the same data.  Strings
// from a database or a file are text, whatever they hold.
#pragma once

#include <snapscope/analyzer/diff.hpp>
#include <snapscope/recording/run.hpp>

#include <map>
#include <string>
#include <vector>

namespace snapscope {

struct ReportRun {
    std::string label; // the path as given
    Run run;
};

// One run, or several below each other after a table of all.  `tool` is who
// writes it, e.g. "snapscope 0.1.0".
[[nodiscard]] std::string report_runs(const std::vector<ReportRun>& runs, const std::string& tool);

// What a comparison is drawn from: the answer of diff(), and the measurements
// that it was made of.
struct DiffReport {
    Diff diff;
    std::vector<Measurement> base, other;
    std::map<std::string, EvidenceKind> kinds; // of the sources that the runs name
};

[[nodiscard]] std::string report_diff(const DiffReport& report, const std::string& tool);

} // namespace snapscope
