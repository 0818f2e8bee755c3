#include "summary_warnings.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

// "reason; hint" as far as there are any.
std::string why(const SourceStatus& source) {
    std::string out = source.reason.empty() ? "no reason given" : source.reason;
    if (!source.hint.empty())
        out += "; " + source.hint;
    return out;
}

void about_sources(const Run& run, std::vector<std::string>& out) {
    if (std::none_of(run.sources.begin(), run.sources.end(),
                     [](const SourceStatus& source) { return source.state != SourceState::unavailable; }))
        out.emplace_back("no source was active: this run holds no evidence");
    for (const SourceStatus& source : run.sources) {
        if (source.state == SourceState::unavailable)
            out.push_back(fmt::format("source {} is missing: {}", source.name, why(source)));
        if (source.state == SourceState::degraded)
            out.push_back(fmt::format("source {} is degraded: {}", source.name, why(source)));
        // Samples that are left out make no figure too low.
        if (source.lost > 0 && source.kind != EvidenceKind::sampled) {
            const double all = static_cast<double>(source.lost) + static_cast<double>(source.records);
            out.push_back(fmt::format("source {} lost {} records ({:.2f} % of what came): figures from its records "
                                      "are too low",
                                      source.name, source.lost, 100 * static_cast<double>(source.lost) / all));
        }
    }
}

void about_workload(const Run& run, std::vector<std::string>& out) {
    if (!run.workload)
        return;
    const Workload& load = *run.workload;
    if (!load.valid)
        out.emplace_back("the workload is not valid: its figures must not be compared");
    if (load.exit_status && *load.exit_status != 0)
        out.push_back(fmt::format("the workload ended with exit status {}", *load.exit_status));
    if (load.clients_aborted.value_or(0) > 0)
        out.push_back(fmt::format("{} of {} clients aborted", *load.clients_aborted,
                                  load.clients ? std::to_string(*load.clients) : "an unknown number of"));
    if (load.transactions_failed.value_or(0) > 0)
        out.push_back(fmt::format("{} transactions failed", *load.transactions_failed));
    if (load.reconnect)
        out.emplace_back("every transaction connected anew (-C): tps counts the time for connecting and compares "
                         "only with other -C runs");
    for (const std::string& note : load.notes)
        out.push_back("workload: " + note);
}

void about_counts(const Summary& summary, std::vector<std::string>& out) {
    const SnapshotSummary& s = summary.snapshots;
    if (s.taken && s.reused && s.rebuilt && s.private_scans && *s.taken != *s.reused + *s.rebuilt + *s.private_scans)
        out.push_back(fmt::format("the outcomes do not add up: {} taken, but {} reused + {} rebuilt + {} private scans "
                                  "= {} ({})",
                                  *s.taken, *s.reused, *s.rebuilt, *s.private_scans,
                                  *s.reused + *s.rebuilt + *s.private_scans, s.source));
    if (s.reused && s.lockfree.value_or(0) + s.kept.value_or(0) > *s.reused)
        out.emplace_back("lockfree and kept snapshots exceed the reused ones that they are parts of");
}

void about_tps(const Summary& summary, std::vector<std::string>& out) {
    if (summary.tps && summary.tps->source == "sql")
        out.emplace_back("tps comes from the server's statistics, which learn of transactions up to a second late: "
                         "in a short run it can be far off");
}

} // namespace

std::vector<std::string> summary_warnings(const Run& run, const Summary& summary) {
    std::vector<std::string> out;
    if (!run.finished)
        out.emplace_back("the run is unfinished: figures cover what had been written when it was cut off");
    if (!run.finished && run.events)
        out.emplace_back("durations come with the end of a recording: this run has its events alone, see "
                         "'snapscope export'");
    about_workload(run, out);
    about_sources(run, out);
    about_counts(summary, out);
    about_tps(summary, out);
    if (run.clock.backward_stamps > 0)
        out.push_back(fmt::format("{} stamps went backwards and were clamped", run.clock.backward_stamps));
    out.insert(out.end(), run.warnings.begin(), run.warnings.end());
    return out;
}

} // namespace snapscope
