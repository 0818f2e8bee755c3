#include "json_values.hpp"

#include <snapscope/analyzer/summary.hpp>
#include <snapscope/recording/run_folder.hpp>

namespace snapscope {
namespace {

using nlohmann::json;

json of(const Server& server) {
    return {{"version", server.version},
            {"snapshot_cache", server.snapshot_cache},
            {"max_connections", or_null(server.max_connections)},
            {"backends", or_null(server.backends)},
            {"pid", server.pid}};
}

json kind_of(const Summary& summary, const std::string& source) {
    for (const SourceStatus& status : summary.sources)
        if (status.name == source)
            return to_string(status.kind);
    return nullptr;
}

json tps(const Summary& summary) {
    if (!summary.tps)
        return nullptr;
    return {{"value", summary.tps->value}, {"unit", "1/s"}, {"source", summary.tps->source}};
}

json snapshots(const Summary& summary) {
    const SnapshotSummary& s = summary.snapshots;
    return {{"source", s.source.empty() ? json() : json(s.source)},
            {"kind", kind_of(summary, s.source)},
            {"taken", or_null(s.taken)},
            {"reused", or_null(s.reused)},
            {"rebuilt", or_null(s.rebuilt)},
            {"private_scans", or_null(s.private_scans)},
            {"waited", or_null(s.waited)},
            {"lockfree", or_null(s.lockfree)},
            {"kept", or_null(s.kept)},
            {"retries", or_null(s.retries)},
            {"gave_up", or_null(s.gave_up)},
            {"per_second", or_null(s.per_second)},
            {"observed_share", or_null(s.observed_share)}};
}

json lock_waits(const LockWaitSummary& w) {
    return {{"exclusive", or_null(w.exclusive)},
            {"shared", or_null(w.shared)},
            {"exclusive_ns", or_null(w.exclusive_ns)},
            {"shared_ns", or_null(w.shared_ns)},
            {"source", w.source}};
}

json words(const Summary& summary) {
    json rows = json::array();
    for (const WordSummary& word : summary.words)
        rows.push_back({{"kind", kind_of(summary, word.source)},
                        {"source", word.source},
                        {"word", word.word},
                        {"reads", word.reads},
                        {"writes", word.writes},
                        {"watched_s", word.watched_s}});
    return rows;
}

json invalidations(const InvalidationSummary& summary) {
    json by_reason = json::object();
    for (const NamedCount& reason : summary.by_reason)
        by_reason[reason.name] = reason.count;
    return {{"total", or_null(summary.total)}, {"by_reason", summary.total ? by_reason : json()}};
}

// A percentile as a number is the upper bound of its bucket: at most that.
json duration(const DurationSummary& d) {
    const auto upper = [](const std::optional<Interval>& bounds) { return bounds ? json(bounds->high) : json(); };
    return {{"p50", upper(d.p50)},
            {"p99", upper(d.p99)},
            {"max", or_null(d.max_ns)},
            {"p50_bounds", or_null(d.p50)},
            {"p99_bounds", or_null(d.p99)},
            {"count", d.count},
            {"source", d.source.empty() ? json() : json(d.source)}};
}

json transfers(const std::vector<TransferSummary>& rows) {
    json out = json::array();
    for (const TransferSummary& row : rows)
        out.push_back({{"kind", to_string(row.kind)},
                       {"source", row.source},
                       {"by", row.by},
                       {"from", row.from},
                       {"to", row.to},
                       {"per_second", or_null(row.per_second)},
                       {"per_snapshot", or_null(row.per_snapshot)}});
    return out;
}

json hot_lines(const std::vector<HotLine>& rows) {
    json out = json::array();
    for (const HotLine& row : rows)
        out.push_back({{"address", row.address}, {"source", row.source}, {"local", row.local}, {"remote", row.remote}});
    return out;
}

json workload(const std::optional<Workload>& load) {
    if (!load)
        return nullptr;
    return {{"command", load->command},
            {"tps", or_null(load->tps)},
            {"latency_ms", or_null(load->latency_ms)},
            {"clients", or_null(load->clients)},
            {"clients_aborted", or_null(load->clients_aborted)},
            {"transactions", or_null(load->transactions)},
            {"transactions_failed", or_null(load->transactions_failed)},
            {"exit_status", or_null(load->exit_status)},
            {"reconnect", load->reconnect},
            {"valid", load->valid}};
}

json metrics(const std::vector<Metric>& rows) {
    json out = json::array();
    for (const Metric& metric : rows)
        out.push_back({{"name", metric.name},
                       {"unit", metric_info(metric.name).unit},
                       {"source", metric.source},
                       {"value", metric.value}});
    return out;
}

json sources(const std::vector<SourceStatus>& rows) {
    json out = json::array();
    for (const SourceStatus& source : rows) {
        json losses = json::object();
        for (const NamedCount& way : source.losses)
            losses[way.name] = way.count;
        out.push_back({{"name", source.name},
                       {"kind", to_string(source.kind)},
                       {"state", to_string(source.state)},
                       {"reason", source.reason},
                       {"hint", source.hint},
                       {"records", source.records},
                       {"lost", source.lost},
                       {"losses", losses}});
    }
    return out;
}

json gaps(const std::vector<Gap>& rows) {
    json out = json::array();
    for (const Gap& gap : rows)
        out.push_back({{"begin_s", static_cast<double>(gap.begin_ns) / 1e9},
                       {"end_s", static_cast<double>(gap.end_ns) / 1e9},
                       {"kind", gap.kind},
                       {"reason", gap.reason},
                       {"server_pid", gap.server_pid},
                       {"server_version", gap.server_version}});
    return out;
}

} // namespace

json to_json(const Summary& summary) {
    json lost = json::object();
    for (const SourceStatus& source : summary.sources)
        if (source.state != SourceState::unavailable)
            lost[source.name] = source.lost;
    return {{"schema_version", 1},
            {"run_id", summary.run_id},
            {"finished", summary.finished},
            {"duration_s", or_null(summary.duration_s)},
            {"server", of(summary.server)},
            {"tps", tps(summary)},
            {"snapshots", snapshots(summary)},
            {"invalidations", invalidations(summary.invalidations)},
            {"duration_ns", duration(summary.duration)},
            {"lines",
             {{"per_scan", or_null(summary.lines.per_scan)},
              {"spanned", or_null(summary.lines.spanned)},
              {"straddling_entries", or_null(summary.lines.straddling_entries)}}},
            {"lock_waits", lock_waits(summary.lock_waits)},
            {"words", words(summary)},
            {"transfers", transfers(summary.transfers)},
            {"placement", to_json(summary.placement)},
            {"mirror", to_json(summary.mirror)},
            {"hot_lines", hot_lines(summary.hot_lines)},
            {"gaps", gaps(summary.gaps)},
            {"workload", workload(summary.workload)},
            {"metrics", metrics(summary.metrics)},
            {"warnings", summary.warnings},
            {"sources", sources(summary.sources)},
            {"lost", lost}};
}

} // namespace snapscope
