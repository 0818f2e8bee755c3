#include "screen.hpp"

#include "../escape.hpp"
#include "cells.hpp"
#include "slot_map.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace snapscope::cli {
namespace {

constexpr const char* cannot_tell = "cannot tell";

std::string per_second(double value) {
    return brief(value) + "/s";
}

std::string duration(double ns) {
    if (ns >= 1e6)
        return number(ns / 1e6, 3) + " ms";
    if (ns >= 1e3)
        return number(ns / 1e3, 3) + " us";
    return number(ns, 3) + " ns";
}

std::string at_most(const std::optional<Interval>& bucket) {
    return bucket ? duration(bucket->high) : "-";
}

std::string evidence(const TopNumber& row) {
    return fmt::format("{} by {}", to_string(row.kind), row.source);
}

std::string shown(const TopNumber& row) {
    if (!row.value)
        return cannot_tell;
    if (!row.state)
        return row.unit == "ns" ? fmt::format("{:.1f} %", *row.value / 1e7) : per_second(*row.value);
    const std::string unit = row.unit == "1" || row.unit == "slot" ? "" : " " + row.unit;
    return row.name.ends_with("_share") ? fmt::format("{:.2f} %", 100 * *row.value) : brief(*row.value) + unit;
}

Line heading(const std::string& text) {
    return {{text, Tone::strong}};
}

class Writer {
  public:
    Writer(const TopState& state, const ScreenOptions& options) : state_(state), options_(options) {}

    std::vector<Line> head() {
        const std::string server = fmt::format("PostgreSQL {}, snapshot_cache {}, {}", state_.server.version,
                                               state_.server.snapshot_cache, state_.target);
        add({{"snapscope top  ", Tone::strong}, {escape_terminal(server)}});
        std::string now = state_.interval_s > 0 ? fmt::format("over the last {:.2f} s", state_.interval_s)
                                                : fmt::format("first numbers after {:g} s", options_.interval_s);
        if (!state_.trouble.empty())
            now = "nothing is seen now";
        if (state_.gaps > 0)
            now += fmt::format(", {} gap{}", state_.gaps, state_.gaps == 1 ? "" : "s");
        add({{now, Tone::faint}, {options_.paused ? "  PAUSED" : "", Tone::warn}});
        if (!state_.trouble.empty())
            add({{escape_terminal(state_.trouble), Tone::bad}});
        return take();
    }

    std::vector<Line> middle() {
        if (state_.interval_s > 0) {
            add_load();
            add_snapshots();
            add_durations();
            add_horizon();
            add_slots();
            add_rest();
        }
        add_sources();
        return take();
    }

  private:
    void add(Line line) { lines_.push_back(std::move(line)); }
    std::vector<Line> take() { return std::exchange(lines_, {}); }

    void add_number(const char* label, const std::string& name, Tone tone = Tone::plain) {
        const TopNumber* found = state_.number(name);
        if (found == nullptr)
            return;
        used_.insert(name);
        add(row(label, shown(*found), escape_terminal(evidence(*found)), tone));
    }

    void add_load() {
        const TopNumber* committed = state_.number("xacts_committed");
        const TopNumber* rolled_back = state_.number("xacts_rolled_back");
        if (committed == nullptr || rolled_back == nullptr)
            return;
        used_.insert({"xacts_committed", "xacts_rolled_back"});
        const bool known = committed->value && rolled_back->value;
        add(row("tps", known ? per_second(*committed->value + *rolled_back->value) : cannot_tell,
                known ? fmt::format("{}, {} rolled back", evidence(*committed), per_second(*rolled_back->value))
                      : evidence(*committed),
                Tone::strong));
    }

    void add_outcome(const char* label, const std::string& name, const TopNumber& taken) {
        const TopNumber* part = state_.number(name);
        used_.insert(name);
        if (part == nullptr || !part->value) // a mode that has no such outcome
            return;
        const std::string share = taken.value && *taken.value > 0
                                      ? fmt::format("{:.1f} %", 100 * *part->value / *taken.value)
                                      : std::string();
        add(row(label, per_second(*part->value), share));
    }

    void add_snapshots() {
        const TopNumber* taken = state_.number("snapshots_taken");
        if (taken == nullptr)
            return;
        used_.insert("snapshots_taken");
        add(row("snapshots", shown(*taken), escape_terminal(evidence(*taken)), Tone::strong));
        add_outcome("  reused", "snapshots_reused", *taken);
        add_outcome("    lock-free", "snapshots_lockfree", *taken);
        add_outcome("    kept", "snapshots_kept", *taken);
        add_outcome("  rebuilt", "snapshots_rebuilt", *taken);
        add_outcome("  private scans", "snapshots_private_scans", *taken);
        add_outcome("  waited", "snapshots_waited", *taken);
        const std::size_t room = options_.columns > 12 ? options_.columns - 12 : 0;
        add({{"  history   ", Tone::faint}, {sparkline(state_.history, room, options_.unicode), Tone::good}});
    }

    void add_durations() {
        if (state_.durations.empty()) {
            add(row("duration", "not timed", "--events times snapshots from the rings' events"));
            return;
        }
        add(heading("duration, at most         p50        p90        p99        timed"));
        for (const TopDuration& d : state_.durations)
            add({{fmt::format("  {:<22}  {:<9}  {:<9}  {:<9}  {:<10}", d.outcome.empty() ? "all" : d.outcome,
                              at_most(d.p50), at_most(d.p90), at_most(d.p99), grouped(d.timed))},
                 {"by " + escape_terminal(d.source), Tone::faint}});
    }

    // Whatever a source says of horizons and ages.
    void add_horizon() {
        bool first = true;
        for (const TopNumber& n : state_.numbers) {
            if (!n.state || !(n.name.starts_with("horizon") || n.name.starts_with("oldest")))
                continue;
            if (std::exchange(first, false))
                add(heading("horizon"));
            used_.insert(n.name);
            add(row("  " + words(n.name), shown(n), escape_terminal(evidence(n))));
            if (n.name.ends_with("_slot") && n.value)
                add_holder(static_cast<std::uint32_t>(*n.value));
        }
    }

    void add_holder(std::uint32_t slot) {
        for (const TopSlot& s : state_.slots)
            if (s.slot == slot && s.pid)
                lines_.back().back().text += fmt::format(", pid {}", *s.pid);
    }

    void add_slots() {
        for (Line& line : slot_map(state_.slots, state_.sockets, options_.columns, options_.unicode))
            add(std::move(line));
    }

    static std::string words(std::string name) {
        std::ranges::replace(name, '_', ' ');
        return escape_terminal(name);
    }

    void add_rest() {
        bool first = true;
        for (const TopNumber& n : state_.numbers) {
            // Nothing that did not happen, nor what no mode of this server tells.
            if (used_.contains(n.name) || !n.value || (*n.value == 0 && !n.state))
                continue;
            if (std::exchange(first, false))
                add(heading("more"));
            add(row("  " + words(n.name), shown(n), escape_terminal(evidence(n))));
        }
    }

    void add_sources() {
        add(heading("sources"));
        for (const SourceStatus& s : state_.sources) {
            std::string value = to_string(s.state);
            if (s.lost > 0)
                value += fmt::format(", lost {}", grouped(s.lost));
            const Tone tone = s.lost > 0                         ? Tone::bad
                              : s.state == SourceState::active   ? Tone::good
                              : s.state == SourceState::degraded ? Tone::warn
                                                                 : Tone::faint;
            const std::string why = s.reason.empty() ? to_string(s.kind) : s.reason;
            add(row("  " + escape_terminal(s.name), value, escape_terminal(why), tone));
        }
    }

    const TopState& state_;
    const ScreenOptions& options_;
    std::vector<Line> lines_;
    std::set<std::string> used_;
};

Line keys(const ScreenOptions& options) {
    return {{fmt::format(" q quit   p {}   +/- interval {} s   arrows scroll ", options.paused ? "go on" : "pause",
                         fmt::format("{:g}", options.interval_s)),
             Tone::strong}};
}

std::size_t room_for_middle(std::size_t head, const ScreenOptions& options) {
    const std::size_t fixed = head + (options.keys ? 1 : 0);
    return options.rows > fixed ? options.rows - fixed : 0;
}

} // namespace

std::vector<Line> top_lines(const TopState& state, const ScreenOptions& options) {
    Writer writer(state, options);
    auto lines = writer.head();
    for (Line& line : writer.middle())
        lines.push_back(std::move(line));
    if (!options.unicode)
        for (Line& line : lines)
            line = in_ascii(std::move(line));
    return lines;
}

std::size_t most_scroll(const TopState& state, const ScreenOptions& options) {
    Writer writer(state, options);
    const std::size_t room = room_for_middle(writer.head().size(), options);
    const std::size_t have = writer.middle().size();
    return have > room ? have - room : 0;
}

std::vector<Line> top_screen(const TopState& state, const ScreenOptions& options) {
    Writer writer(state, options);
    std::vector<Line> lines = writer.head();
    const auto middle = writer.middle();
    const std::size_t room = room_for_middle(lines.size(), options);
    const std::size_t first = std::min(options.scroll, middle.size() > room ? middle.size() - room : 0);
    for (std::size_t i = first; i < middle.size() && i < first + room; ++i)
        lines.push_back(middle[i]);
    if (options.keys && options.rows > 0) {
        lines.resize(options.rows - 1);
        lines.push_back(keys(options));
    }
    lines.resize(options.rows);
    for (Line& line : lines)
        line = cut(options.unicode ? std::move(line) : in_ascii(std::move(line)), options.columns);
    return lines;
}

} // namespace snapscope::cli
