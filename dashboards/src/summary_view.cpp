#include "summary_view.hpp"

#include "evidence.hpp"

#include <snapscope/analyzer/words.hpp>
#include <snapscope/base/numbers.hpp>

#include <fmt/format.h>

namespace snapscope {
namespace {

using Sources = std::vector<std::string_view>;

std::string exact(double value) {
    return fmt::format("{}", value);
}

// One key figure, or the reason why there is none.
class Figures {
  public:
    Figures(Html& html, const Run& run) : html_(html), run_(run), list_(html.element("dl", {{"class", "figures"}})) {}

    void known(std::string_view name, const std::string& value, const std::string& text, std::string_view unit,
               const std::string& source, const std::string& note) {
        const auto card = html_.element("div", {{"class", "figure"}});
        html_.leaf("dt", name);
        const auto body = html_.element("dd");
        {
            const auto line = html_.element("span", {{"class", "value"}});
            html_.leaf("data", text, {{"value", value}}).text(" ").leaf("small", unit);
        }
        write_evidence(html_, evidence_of(run_.sources, source));
        if (!note.empty())
            html_.leaf("small", note, {{"class", "faint"}});
    }

    void absent(std::string_view name, const Sources& from) {
        const auto card = html_.element("div", {{"class", "figure"}});
        html_.leaf("dt", name);
        const auto body = html_.element("dd");
        write_absent(html_, run_, "nobody could tell", from);
    }

  private:
    Html& html_;
    const Run& run_;
    Html::Element list_;
};

const Metric* find_metric(const Summary& summary, std::string_view name) {
    for (const Metric& metric : summary.metrics)
        if (metric.name == name)
            return &metric;
    return nullptr;
}

std::string bounds(const Interval& bucket) {
    return duration_text(bucket.low) + " to " + duration_text(bucket.high);
}

void add_snapshots(Figures& figures, const SnapshotSummary& s) {
    if (s.taken)
        figures.known("snapshots", std::to_string(*s.taken), grouped(*s.taken), "", s.source,
                      s.per_second ? number(*s.per_second, 6) + " a second" : "");
    else
        figures.absent("snapshots", {"ring", "ebpf"});
    if (s.taken && s.reused && *s.taken > 0) {
        const double share = 100 * static_cast<double>(*s.reused) / static_cast<double>(*s.taken);
        figures.known("reused", std::to_string(*s.reused), fmt::format("{:.1f}", share), "%", s.source,
                      grouped(*s.reused) + " snapshots");
    } else {
        figures.absent("reused", {"ring", "ebpf"});
    }
}

void add_durations(Figures& figures, const DurationSummary& d) {
    for (const auto& [name, bucket] : {std::pair{"duration, half below", &d.p50}, {"duration, 99 % below", &d.p99}}) {
        if (*bucket)
            figures.known(name, exact((*bucket)->high), bounds(**bucket), "", d.source,
                          grouped(d.count) + " snapshots timed");
        else
            figures.absent(name, {"ring", "ebpf"});
    }
}

} // namespace

void write_verdict(Page& page, const Run& run, const Summary& summary) {
    Html& html = page.html;
    html.leaf("p", finding(summary), {{"class", "verdict"}});
    const auto line = html.element("p", {{"class", "faint"}});
    html.isolated(heading(summary)).text(" on ").isolated(run.host.name).text(", from ").text(run.clock.wall_start);
    if (!summary.finished) {
        html.text(" ");
        html.leaf("strong", "unfinished: it covers what had been written when it was cut off", {{"class", "warn"}});
    }
}

void write_figures(Page& page, const Run& run, const Summary& summary) {
    Figures figures(page.html, run);
    if (summary.tps) {
        std::string note;
        if (summary.workload && summary.workload->clients)
            note = fmt::format("{} clients", *summary.workload->clients);
        figures.known("transactions", exact(summary.tps->value), number(summary.tps->value, 6), "a second",
                      summary.tps->source, note);
    } else {
        figures.absent("transactions", {"ring", "ebpf", "sql"});
    }
    add_snapshots(figures, summary.snapshots);
    add_durations(figures, summary.duration);
    if (const Metric* cpu = find_metric(summary, "server_cpu_us_per_xact"))
        figures.known("server CPU", exact(cpu->value), number(cpu->value), "us a transaction", cpu->source, "");
    else
        figures.absent("server CPU a transaction", {"sched"});
}

void write_warnings(Page& page, const std::vector<std::string>& warnings) {
    if (warnings.empty())
        return;
    Html& html = page.html;
    const auto box = html.element("div", {{"class", "warnings"}, {"role", "note"}});
    html.leaf("b", "To beware of");
    const auto list = html.element("ul");
    for (const std::string& warning : warnings) {
        const auto item = html.element("li");
        html.isolated(warning);
    }
}

void write_overview(Page& page, const std::vector<std::pair<std::string, Summary>>& runs) {
    Html& html = page.html;
    TableWriter table(html, "The runs of this report",
                      {"run", "mode", "#max_connections", "#tps", "tps from", "#snapshots", "#reused", "#rebuilt",
                       "#private scans", "snapshots from", "#duration p99", "#lost"});
    const auto or_unknown = [](const std::string& text) { return text.empty() ? std::string("cannot tell") : text; };
    for (const auto& [label, s] : runs) {
        std::uint64_t lost = 0;
        for (const SourceStatus& source : s.sources)
            lost += source.lost;
        const SnapshotSummary& taken = s.snapshots;
        table.row({label, s.server.snapshot_cache,
                   s.server.max_connections ? std::to_string(*s.server.max_connections) : "cannot tell",
                   s.tps ? number(s.tps->value, 6) : "cannot tell",
                   s.tps ? evidence_text(evidence_of(s.sources, s.tps->source)) : "nobody",
                   taken.taken ? grouped(*taken.taken) : "cannot tell",
                   or_unknown(percent_text(taken.reused, taken.taken)),
                   or_unknown(percent_text(taken.rebuilt, taken.taken)),
                   or_unknown(percent_text(taken.private_scans, taken.taken)),
                   taken.source.empty() ? "nobody" : evidence_text(evidence_of(s.sources, taken.source)),
                   s.duration.p99 ? bounds(*s.duration.p99) : "cannot tell", grouped(lost)});
    }
}

} // namespace snapscope
