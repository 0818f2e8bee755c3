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
constexpr std::size_t shown_groups = 8;
constexpr std::size_t shown_lines = 5;

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
    lines.add("snapshots", count(s.taken),
              s.observed_share
                  ? fmt::format("{}, in the {:.1f} % of the time that it watched", by, 100 * *s.observed_share)
                  : by);
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

void add_lock_waits(const Summary& summary, Lines& lines) {
    const LockWaitSummary& w = summary.lock_waits;
    const auto each = [](const std::optional<std::uint64_t>& waits, const std::optional<std::uint64_t>& ns) {
        return waits && ns && *waits > 0
                   ? duration_text(static_cast<double>(*ns) / static_cast<double>(*waits)) + " each"
                   : std::string();
    };
    if (!w.exclusive && !w.shared)
        return;
    lines.add("lock waits", "", "for ProcArrayLock, " + evidence(summary, w.source));
    lines.add("  exclusive", count(w.exclusive), each(w.exclusive, w.exclusive_ns));
    lines.add("  shared", count(w.shared), each(w.shared, w.shared_ns));
}

void add_words(const Summary& summary, Lines& lines) {
    for (const WordSummary& w : summary.words)
        lines.add(w.word + " word", fmt::format("{} reads, {} writes", grouped(w.reads), grouped(w.writes)),
                  fmt::format("in {} s watched, {}", number(w.watched_s), evidence(summary, w.source)));
}

void add_transfers(const Summary& summary, Lines& lines) {
    for (std::size_t i = 0; i < summary.transfers.size() && i < shown_transfers; ++i) {
        const TransferSummary& t = summary.transfers[i];
        std::string value = t.per_second ? number(*t.per_second) + "/s" : "";
        if (t.per_snapshot)
            value += fmt::format("{}{} a snapshot", value.empty() ? "" : ", ", number(*t.per_snapshot));
        if (value.empty())
            value = cannot_tell;
        lines.add(i == 0 ? "transfers" : "", value,
                  fmt::format("{} {} to {}, {} by {}", t.by, t.from, t.to, to_string(t.kind), t.source));
    }
    if (summary.transfers.size() > shown_transfers)
        lines.add("", fmt::format("and {} more", summary.transfers.size() - shown_transfers), "see --format json");
}

// "12 across caches, 3 across nodes"; a grouping of one has none.
std::string moves_across(const Placement& placement) {
    const Moves& m = placement.moves;
    std::string out;
    const auto add = [&](const std::optional<std::uint64_t>& moves, const char* by, const char* words) {
        for (const LevelTime& level : placement.levels)
            if (level.by == by && level.groups < 2)
                return;
        if (moves)
            out += fmt::format("{}{} across {}", out.empty() ? "" : ", ", grouped(*moves), words);
    };
    add(m.across_llc, "llc", "last-level caches");
    add(m.across_node, "node", "NUMA nodes");
    add(m.across_socket, "socket", "sockets");
    return out;
}

// Groupings of one group say nothing; the widest of equal ones is enough.
void add_placement(const Summary& summary, Lines& lines) {
    const Placement& p = summary.placement;
    if (p.source.empty())
        return;
    if (p.moves.all)
        lines.add("migrations", grouped(*p.moves.all), moves_across(p));
    for (const LevelTime& level : p.levels) {
        if (level.groups < 2)
            continue;
        std::string shares;
        for (std::size_t i = 0; i < level.times.size() && i < shown_groups; ++i)
            shares +=
                fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", level.times[i].group, 100 * level.times[i].share);
        if (level.times.size() > shown_groups)
            shares += fmt::format(" and {} more", level.times.size() - shown_groups);
        lines.add("ran by " + level.by, fmt::format("{} of {}", level.times.size(), level.groups), shares);
    }
}

// One look at the proc array after another.
void add_mirror(const Summary& summary, Lines& lines) {
    if (!summary.mirror)
        return;
    const MirrorSummary& m = *summary.mirror;
    const auto mean = [](const std::optional<double>& value) { return value ? number(*value) : cannot_tell; };
    const auto percent = [](const std::optional<double>& value) {
        return value ? fmt::format("{:.2f} %", 100 * *value) : cannot_tell;
    };
    lines.add("slots taken", mean(m.slots_taken), fmt::format("sampled by mirror, {} looks", grouped(m.samples)));
    lines.add("  with an xid", mean(m.slots_with_xid));
    lines.add("  with an xmin", mean(m.slots_with_xmin));
    lines.add("  waiting", mean(m.slots_waiting), "for ProcArrayLock");
    lines.add("xids assigned", count(m.xids_assigned), "ended: " + count(m.xid_ends) + " (aborts too)");
    std::string holder;
    if (m.holder) {
        holder = fmt::format("held in {:.0f} % of looks by slot {}, {}", 100 * m.holder->share, m.holder->slot,
                             m.holder->backend.value_or("unknown"));
        if (m.holder->pid)
            holder += fmt::format(", pid {}", *m.holder->pid);
        if (m.holder->database.value_or(0) != 0)
            holder += fmt::format(", database {}", *m.holder->database);
    }
    lines.add("horizon", m.horizon_age ? grouped(*m.horizon_age) + " xids behind at worst" : cannot_tell, holder);
    lines.add("ProcArrayLock", percent(m.lock_exclusive_share) + " exclusive",
              percent(m.lock_shared_share) + " shared, of looks");
}

// What hardware saw: derived figures, and the lines that moved most.
void add_measured(const Summary& summary, Lines& lines) {
    for (const Metric& metric : summary.metrics)
        if (metric.source == "hitm" || metric.source == "pcm")
            lines.add(metric.name, number(metric.value),
                      metric_info(metric.name).unit + ", " + evidence(summary, metric.source));
    for (std::size_t i = 0; i < summary.hot_lines.size() && i < shown_lines; ++i) {
        const HotLine& line = summary.hot_lines[i];
        lines.add(i == 0 ? "hot lines" : "", line.address,
                  fmt::format("HITM samples: {} remote, {} local, {}", number(line.remote, 6), number(line.local, 6),
                              evidence(summary, line.source)));
    }
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
    add_lock_waits(summary, lines);
    add_words(summary, lines);
    add_transfers(summary, lines);
    add_placement(summary, lines);
    add_mirror(summary, lines);
    add_measured(summary, lines);
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
    for (const auto& [name, moves] : {std::pair{"migrations", &summary.placement.moves.all},
                                      {"migrations_across_llc", &summary.placement.moves.across_llc},
                                      {"migrations_across_node", &summary.placement.moves.across_node},
                                      {"migrations_across_socket", &summary.placement.moves.across_socket}})
        if (*moves)
            table.add({name, std::to_string(**moves), "1", summary.placement.source});
    add_value("lines_per_scan", summary.lines.per_scan, "lines", "");
    if (summary.mirror) {
        const MirrorSummary& m = *summary.mirror;
        add_value("slots_taken", m.slots_taken, "1", "mirror");
        add_value("slots_with_xid", m.slots_with_xid, "1", "mirror");
        add_value("slots_with_xmin", m.slots_with_xmin, "1", "mirror");
        add_value("lock_exclusive_share", m.lock_exclusive_share, "1", "mirror");
        add_value("lock_shared_share", m.lock_shared_share, "1", "mirror");
        const auto add_xids = [&](const char* name, const std::optional<std::uint64_t>& value, const char* unit) {
            table.add({name, value ? std::to_string(*value) : "", unit, "mirror"});
        };
        add_xids("mirror_xids_assigned", m.xids_assigned, "1");
        add_xids("xid_ends", m.xid_ends, "1");
        add_xids("horizon_age", m.horizon_age, "xids");
    }
    for (const Metric& metric : summary.metrics)
        add_value(metric.name, metric.value, metric_info(metric.name).unit.c_str(), metric.source);
    for (const TransferSummary& t : summary.transfers)
        add_value(fmt::format("transfers {} {} to {} ({})", t.by, t.from, t.to, to_string(t.kind)), t.per_second, "1/s",
                  t.source);
    return table;
}

} // namespace snapscope::cli
