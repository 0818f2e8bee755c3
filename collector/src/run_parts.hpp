// A recording in parts, one between two gaps, put together as one run.
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstddef>

namespace snapscope {

class RunParts {
  public:
    // PART is what sources have said at their end: totals, histograms, matrices,
    // slots, rows of sources, warnings, and series of their own for the windows
    // from FIRST_ROW on.  Counts add up, ages are the most, and what a part could
    // not tell is unknown for all.
    void add(Run part, std::size_t first_row);
    // Into RUN, which has the windows of all parts.
    void put(Run& run) &&;
    // Of all parts so far.
    [[nodiscard]] const std::vector<SourceStatus>& sources() const { return whole_.sources; }

  private:
    void extend_series(std::size_t rows);

    Run whole_;
};

} // namespace snapscope
