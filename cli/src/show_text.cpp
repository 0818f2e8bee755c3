#include "show_text.hpp"

#include "escape.hpp"

#include <snapscope/analyzer/words.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <fmt/format.h>

namespace snapscope::cli {
namespace {

constexpr const char* cannot_tell = "cannot tell";
constexpr std::size_t shown_reasons = 4;
constexpr std::size_t shown_transfers = 8;

std::string count(const std::optional<std::uint64_t>& value) {
    return value ? grouped(*value) : cannot_tell;
}

std::string evidence(const Summary& summary, const std::string& source) {
    for (const SourceStatus& status : summary.sources)
        if (status.name == source)
            return fmt::format("{} by {}", to_string(status.kind), source);
    return source;
}

class Lines {
  public:
    explicit Lines(Table& table) : table_(table) {}
    void add(const std::string& name, const std::string& value, const std::string& note = "") {
        table_.add({name, value, note});
    }

  private:
    Table& table_;
};

void add_load(const Summary& summary, Lines& lines) {
    if (summary.tps)
        lines.add("tps", number(summary.tps->value, 6), "from " + summary.tps->source);
    else
        lines.add("tps", cannot_tell);
    if (summary.workload) {
        const Workload& load = *summary.workload;
        std::string note = load.valid ? "" : "not valid";
        if (load.clients)
            note += fmt::format("{}{} clients", note.empty() ? "" : ", ", *load.clients);
        if (load.reconnect)
            note += ", connects anew each time";
        // The command is as long as it likes: in the last column it moves no other.
        lines.add("load", note.empty() ? "valid" : note, load.command);
    }
    for (const Metric& metric : summary.metrics)
        if (metric.name == "server_cpu_us_per_xact")
            lines.add("server CPU", number(metric.value) + " us", "a transaction, by " + metric.source);
}

void add_snapshots(const Summary& summary, Lines& lines) {
    const SnapshotSummary& s = summary.snapshots;
    const std::string by = evidence(summary, s.source);
    lines.add("snapshots", count(s.taken), by);
    lines.add("  reused", count(s.reused), percent_text(s.reused, s.taken));
    if (s.lockfree)
        lines.add("    lock-free", count(s.lockfree), percent_text(s.lockfree, s.taken));
    if (s.kept)
        lines.add("    kept", count(s.kept), percent_text(s.kept, s.taken));
    lines.add("  rebuilt", count(s.rebuilt), percent_text(s.rebuilt, s.taken));
    lines.add("  private scans", count(s.private_scans), percent_text(s.private_scans, s.taken));
    lines.add("waited", count(s.waited), percent_text(s.waited, s.taken));
    if (s.retries || s.gave_up)
        lines.add("retries, gave up", count(s.retries) + ", " + count(s.gave_up));
    const InvalidationSummary& i = summary.invalidations;
    std::string reasons;
    for (std::size_t at = 0; at < i.by_reason.size() && at < shown_reasons; ++at)
        reasons += fmt::format("{}{} {}", at == 0 ? "" : ", ", i.by_reason[at].name, grouped(i.by_reason[at].count));
    if (i.by_reason.size() > shown_reasons)
        reasons += fmt::format(" and {} more reasons", i.by_reason.size() - shown_reasons);
    lines.add("invalidations", count(i.total), reasons);
}

void add_duration(const Summary& summary, Lines& lines) {
    const DurationSummary& d = summary.duration;
    if (!d.p50 || !d.p99) {
        lines.add("duration", cannot_tell);
        return;
    }
    const auto between = [](const Interval& bucket) {
        return duration_text(bucket.low) + " to " + duration_text(bucket.high);
    };
    lines.add("duration p50", between(*d.p50),
              fmt::format("{} timed, {}", grouped(d.count), evidence(summary, d.source)));
    lines.add("duration p99", between(*d.p99));
    lines.add("duration max", d.max_ns ? duration_text(*d.max_ns) : cannot_tell);
}

void add_lines(const Summary& summary, Lines& lines) {
    const LineSummary& l = summary.lines;
    if (!l.per_scan && !l.spanned)
        return;
    std::string note;
    if (l.spanned)
        note = fmt::format("{} spans {} lines, {} entries straddle two", l.array, grouped(*l.spanned),
                           count(l.straddling_entries));
    lines.add("lines a scan", l.per_scan ? number(*l.per_scan) : cannot_tell, note);
}

void add_transfers(const Summary& summary, Lines& lines) {
    for (std::size_t i = 0; i < summary.transfers.size() && i < shown_transfers; ++i) {
        const TransferSummary& t = summary.transfers[i];
        std::string value = t.per_second ? number(*t.per_second) + "/s" : cannot_tell;
        if (t.per_snapshot)
            value += fmt::format(", {} a snapshot", number(*t.per_snapshot));
        lines.add(i == 0 ? "transfers" : "", value,
                  fmt::format("{} {} to {}, {} by {}", t.by, t.from, t.to, to_string(t.kind), t.source));
    }
    if (summary.transfers.size() > shown_transfers)
        lines.add("", fmt::format("and {} more", summary.transfers.size() - shown_transfers), "see --format json");
}

std::string sources_text(const Summary& summary, const Terminal& terminal) {
    std::string active;
    std::string missing;
    for (const SourceStatus& source : summary.sources) {
        const std::string name = escape_terminal(source.name);
        std::string& list = source.state == SourceState::unavailable ? missing : active;
        list += (list.empty() ? "" : ", ") + name;
        if (source.state == SourceState::degraded)
            list += " (degraded)";
        if (source.lost > 0)
            list += terminal.paint(fmt::format(" (lost {})", grouped(source.lost)), Tone::warn);
    }
    std::string out = "sources  " + (active.empty() ? "none" : active);
    if (!missing.empty())
        out += terminal.paint("; not here: " + missing, Tone::faint);
    return out + "\n";
}

} // namespace

std::string show_text(const Summary& summary, const Terminal& terminal) {
    Table table({{""}, {""}, {""}});
    Lines lines(table);
    add_load(summary, lines);
    add_snapshots(summary, lines);
    add_duration(summary, lines);
    add_lines(summary, lines);
    add_transfers(summary, lines);
    std::string out = terminal.paint(escape_terminal(finding(summary)), Tone::strong) + "\n" +
                      escape_terminal(heading(summary)) + "\n\n" + table.text(terminal) + "\n" +
                      sources_text(summary, terminal);
    for (const std::string& warning : summary.warnings)
        out += terminal.paint("warning: " + escape_terminal(warning), Tone::warn) + "\n";
    return out;
}

Table show_table(const Summary& summary) {
    Table table({{"name"}, {"value", Table::Align::right}, {"unit"}, {"source"}});
    const SnapshotSummary& s = summary.snapshots;
    const auto add_count = [&](const char* name, const std::optional<std::uint64_t>& value) {
        table.add({name, value ? std::to_string(*value) : "", "1", s.source});
    };
    const auto add_value = [&](const std::string& name, const std::optional<double>& value, const char* unit,
                               const std::string& source) {
        table.add({name, value ? number(*value, 8) : "", unit, source});
    };
    add_count("snapshots_taken", s.taken);
    add_count("snapshots_reused", s.reused);
    add_count("snapshots_rebuilt", s.rebuilt);
    add_count("snapshots_private_scans", s.private_scans);
    add_count("snapshots_waited", s.waited);
    add_count("snapshots_lockfree", s.lockfree);
    add_count("snapshots_kept", s.kept);
    add_count("snapshots_retries", s.retries);
    add_count("snapshots_gave_up", s.gave_up);
    add_value("snapshots_per_second", s.per_second, "1/s", s.source);
    add_count("invalidations", summary.invalidations.total);
    for (const NamedCount& reason : summary.invalidations.by_reason)
        table.add({"invalidations_" + reason.name, std::to_string(reason.count), "1", s.source});
    const DurationSummary& d = summary.duration;
    for (const auto& [name, bounds] : {std::pair{"p50", &d.p50}, std::pair{"p99", &d.p99}}) {
        const auto& known = *bounds;
        add_value(fmt::format("duration_{}_at_least", name), known ? std::optional(known->low) : std::nullopt, "ns",
                  d.source);
        add_value(fmt::format("duration_{}_at_most", name), known ? std::optional(known->high) : std::nullopt, "ns",
                  d.source);
    }
    add_value("duration_max", d.max_ns, "ns", d.source);
    add_value("lines_per_scan", summary.lines.per_scan, "lines", "");
    for (const Metric& metric : summary.metrics)
        add_value(metric.name, metric.value, metric_info(metric.name).unit.c_str(), metric.source);
    for (const TransferSummary& t : summary.transfers)
        add_value(fmt::format("transfers {} {} to {} ({})", t.by, t.from, t.to, to_string(t.kind)), t.per_second, "1/s",
                  t.source);
    return table;
}

} // namespace snapscope::cli
