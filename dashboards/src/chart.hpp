// A chart of time series: its markup (legend, figures as tables) and the arrays
// that the script draws.  Used by every section that has series.
#pragma once

#include "downsample.hpp"
#include "page.hpp"

#include <snapscope/recording/run.hpp>

#include <string>
#include <vector>

namespace snapscope {

// One line of a chart.  Values are per second, or as they were read.
struct Line {
    std::string label, source;
    std::vector<std::optional<double>> values; // one a window
};

// One chart; its lines share a unit.
struct Panel {
    std::string title, unit;
    std::vector<Line> lines;
    bool small = false; // drawn low
};

// The same time axis for all panels of a run: packed once.
class Charts {
  public:
    // Of the windows from `drawn_from` on: a live page has the ones before it.
    Charts(Page& page, const Run& run, std::size_t drawn_from = 0);
    // The panels side by side, their cursors and zoom tied together.
    void write(const std::vector<Panel>& panels);
    // What was left out of the drawing, in words; empty where nothing was.
    [[nodiscard]] std::string note() const;

  private:
    void write_panel(const Panel& panel, std::size_t number);
    void write_tables(const std::vector<Panel>& panels);

    Page& page_;
    const Run& run_;
    std::size_t drawn_from_;
    BucketPlan plan_;
    nlohmann::json times_;
};

} // namespace snapscope
