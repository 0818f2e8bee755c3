#include "run_sections.hpp"
#include "summary_view.hpp"

#include <snapscope/dashboards/report.hpp>

namespace snapscope {

std::string report_runs(const std::vector<ReportRun>& runs, const std::string& tool) {
    Page page;
    std::vector<std::pair<std::string, Summary>> summaries;
    summaries.reserve(runs.size());
    for (const ReportRun& run : runs)
        summaries.emplace_back(run.label, summarize(run.run));
    const std::string title =
        runs.size() == 1 ? "What this run says about snapshots" : "What these runs say about snapshots";
    page.html.leaf("h1", title);
    if (runs.size() > 1) {
        page.html.leaf("p",
                       "One after the other, without a test: to compare them, snapscope report BASE... --against "
                       "NEW...",
                       {{"class", "faint"}});
        write_overview(page, summaries);
    }
    for (std::size_t i = 0; i < runs.size(); ++i)
        write_run(page, {runs[i].run, runs[i].run, summaries[i].second, runs[i].label,
                         "r" + std::to_string(i + 1) + "-", i == 0});
    return finish_page(
        std::move(page),
        report_frame(runs.size() == 1 ? runs.front().label : std::to_string(runs.size()) + " runs", tool));
}

} // namespace snapscope
