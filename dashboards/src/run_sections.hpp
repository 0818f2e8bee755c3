// The sections of a run, in their order: what a report holds, and what the live
// page shows again and again.
#pragma once

#include "page.hpp"

#include <snapscope/analyzer/summary.hpp>
#include <snapscope/recording/run.hpp>

#include <cstddef>
#include <string>

namespace snapscope {

// Figures and series are of one run in a report; live figures are of the last
// moments, and series of all that is kept.
struct RunSections {
    const Run& figures;
    const Run& series;
    const Summary& summary; // of the figures
    std::string label;
    std::string prefix;         // of the sections' ids
    bool legend = true;         // explains the kinds of evidence
    std::size_t drawn_from = 0; // windows of the series before it are not packed: the page has them
};

void write_run(Page& page, const RunSections& of);

} // namespace snapscope
