#include "bars_view.hpp"
#include "duration_view.hpp"
#include "evidence.hpp"
#include "horizon_view.hpp"
#include "matrix_view.hpp"
#include "series_view.hpp"
#include "slot_view.hpp"
#include "summary_view.hpp"

#include <snapscope/dashboards/report.hpp>

namespace snapscope {
namespace {

struct Entry {
    const char *id, *title;
};

void write_contents(Html& html, const std::string& prefix) {
    const auto nav = html.element("nav", {{"aria-label", "Parts of this run"}});
    for (const auto& [id, title] :
         {Entry{"time", "Over time"}, Entry{"duration", "Duration"}, Entry{"invalidations", "Invalidations"},
          Entry{"slots", "Slot map"}, Entry{"transfers", "Transfers"}, Entry{"horizon", "Horizon"},
          Entry{"sources", "Sources"}, Entry{"about", "About"}})
        html.leaf("a", title, {{"href", "#" + prefix + id}});
}

void write_run(Page& page, const ReportRun& of, const Summary& summary, const std::string& prefix, bool first) {
    const Run& run = of.run;
    const auto article = page.html.element("article", {{"id", prefix + "run"}});
    {
        const auto title = page.html.element("h2");
        page.html.isolated(of.label);
    }
    write_verdict(page, run, summary);
    write_figures(page, run, summary);
    write_warnings(page, summary.warnings);
    if (first)
        write_evidence_legend(page.html);
    write_contents(page.html, prefix);
    Charts charts(page, run);
    write_series(page, charts, run, prefix + "time");
    write_durations(page, run, prefix + "duration");
    write_invalidations(page, run, summary, prefix + "invalidations");
    write_slots(page, run, prefix + "slots");
    write_matrices(page, run, prefix + "transfers");
    write_horizon(page, charts, run, prefix + "horizon");
    write_sources(page, run, prefix + "sources");
    write_about(page, run, prefix + "about");
}

} // namespace

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
        write_run(page, runs[i], summaries[i].second, "r" + std::to_string(i + 1) + "-", i == 0);
    return finish_page(std::move(page), runs.size() == 1 ? runs.front().label : std::to_string(runs.size()) + " runs",
                       tool);
}

} // namespace snapscope
