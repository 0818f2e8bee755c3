// The one file as it is being written: its markup, the numbers that the script
// draws, and what refers to them.
//
// A section writes what it says as markup.  What the script draws it adds to
// `views`, and leaves an element with data-view="N" where it belongs.
#pragma once

#include "html.hpp"
#include "pack.hpp"

#include <nlohmann/json.hpp>

namespace snapscope {

struct Page {
    Html html;
    Pack pack;
    nlohmann::json views = nlohmann::json::array();

    // The number of the view, for data-view.
    std::string add_view(nlohmann::json view);
};

// A section with a heading and the question that it answers.  Ends it when destroyed.
class Section {
  public:
    Section(Page& page, const std::string& id, std::string_view title, std::string_view question);

  private:
    Html::Element element_;
};

// A table in its own scrolling box; the caption says what it holds.
class TableWriter {
  public:
    // Columns that begin with '#' hold numbers.
    TableWriter(Html& html, std::string_view caption, const std::vector<std::string>& columns);
    // The first cell is the row's heading.
    void row(const std::vector<std::string>& cells);

  private:
    Html& html_;
    std::vector<bool> numeric_;
    Html::Element box_, table_;
};

// "Figures as a table", to be opened; open where no script runs.
class Folded {
  public:
    Folded(Html& html, std::string_view summary);

  private:
    Html::Element element_;
};

// What is around the contents of a page.
struct Frame {
    std::string title;     // text
    std::string tool;      // who writes it
    std::string_view mark; // beside the name in the bar: report, live
    std::string footer;
    std::string_view script, policy_of_script; // the hash that lets it run
    std::string connect;                       // whom it may ask; empty for nobody
    nlohmann::json state;                      // of a live page; null otherwise
};
[[nodiscard]] Frame report_frame(std::string title, std::string tool);

// Nothing may be loaded or sent but to `connect`; what runs is known by its hash.
[[nodiscard]] std::string policy_of(const Frame& frame);

// The whole file.
[[nodiscard]] std::string finish_page(Page page, const Frame& frame);

} // namespace snapscope
