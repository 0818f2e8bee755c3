#include "run_sections.hpp"

#include "bars_view.hpp"
#include "duration_view.hpp"
#include "evidence.hpp"
#include "horizon_view.hpp"
#include "matrix_view.hpp"
#include "series_view.hpp"
#include "slot_view.hpp"
#include "summary_view.hpp"

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

} // namespace

void write_run(Page& page, const RunSections& of) {
    const Run& run = of.figures;
    const std::string& prefix = of.prefix;
    const auto article = page.html.element("article", {{"id", prefix + "run"}});
    {
        const auto title = page.html.element("h2");
        page.html.isolated(of.label);
    }
    write_verdict(page, run, of.summary);
    write_figures(page, run, of.summary);
    write_warnings(page, of.summary.warnings);
    if (of.legend)
        write_evidence_legend(page.html);
    write_contents(page.html, prefix);
    Charts charts(page, of.series, of.drawn_from);
    write_series(page, charts, of.series, prefix + "time");
    write_durations(page, run, prefix + "duration");
    write_invalidations(page, run, of.summary, prefix + "invalidations");
    write_slots(page, run, prefix + "slots");
    write_matrices(page, run, prefix + "transfers");
    write_horizon(page, charts, of.series, prefix + "horizon");
    write_sources(page, run, prefix + "sources");
    write_about(page, run, prefix + "about");
}

} // namespace snapscope
