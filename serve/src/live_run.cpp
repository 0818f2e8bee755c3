#include "live_run.hpp"

#include <snapscope/collector/look.hpp>
#include <snapscope/recording/wall_clock.hpp>
#include <snapscope/recording/windows.hpp>

#include <algorithm>

namespace snapscope {
namespace {

Run described(const LiveSession& session) {
    Run run;
    run.server = session.info.server;
    run.host = session.info.host;
    run.layout = session.info.layout;
    run.windows.series = session.info.series;
    run.finished = true; // as far as it goes
    return run;
}

void set_clock(Run& run, const LiveSession& session, std::int64_t start_ns, std::int64_t end_ns) {
    run.clock.start_ns = start_ns;
    run.clock.end_ns = end_ns;
    run.clock.wall_start = format_wall_time(start_ns + session.wall_offset_ns);
}

bool begins_session(const LiveWindow& window) {
    return window.row.start_ns == window.session->start_ns;
}

void take_off(SourceStatus& now, const std::vector<SourceStatus>& before) {
    const auto old = std::ranges::find(before, now.name, &SourceStatus::name);
    if (old == before.end())
        return;
    now.records -= std::min(now.records, old->records);
    now.lost -= std::min(now.lost, old->lost);
    for (NamedCount& way : now.losses) {
        const auto same = std::ranges::find(old->losses, way.name, &NamedCount::name);
        way.count -= same == old->losses.end() ? 0 : std::min(way.count, same->count);
    }
}

Run series_of(Place first, Place last) {
    const LiveSession& session = *(*first)->session;
    Run run = described(session);
    for (Place at = first; at != last; ++at)
        append_row(run.windows, (*at)->row);
    // Times count from the session's start, so that a point stays where it is.
    set_clock(run, session, session.start_ns, run.windows.end_ns.back());
    run.sources = (*std::prev(last))->sources;
    return run;
}

} // namespace

Place first_shown(const WindowList& windows) {
    return windows.empty() || begins_session(*windows.front()) ? windows.begin() : std::next(windows.begin());
}

WindowPtr window_before(Place window) {
    return begins_session(**window) ? nullptr : *std::prev(window);
}

void count_since(Run& run, const WindowPtr& before, const LiveWindow& last) {
    static const Run nothing;
    Run look = look_since(before ? before->look : nothing, last.look);
    run.histograms = std::move(look.histograms);
    run.slots = std::move(look.slots);
    run.sources = last.sources;
    for (SourceStatus& source : run.sources) {
        source.start_ns = std::max(source.start_ns, run.clock.start_ns);
        source.end_ns = std::min(source.end_ns, run.clock.end_ns);
        if (before)
            take_off(source, before->sources);
    }
}

Run run_of(const WindowList& windows, const WindowPtr& before) {
    const LiveSession& session = *windows.front()->session;
    Run run = described(session);
    for (const WindowPtr& window : windows)
        append_row(run.windows, window->row);
    set_clock(run, session, windows.front()->row.start_ns, windows.back()->row.end_ns);
    count_since(run, before, *windows.back());
    add_totals_of_windows(run);
    return run;
}

std::optional<Moment> moment_at(const WindowList& windows, std::uint64_t seq, std::int64_t span_ns) {
    const auto begin = first_shown(windows);
    if (begin == windows.end())
        return std::nullopt;
    const auto same_seq = [seq](const WindowPtr& window) { return window->seq == seq; };
    const auto shown = seq == 0 ? std::prev(windows.end()) : std::find_if(begin, windows.end(), same_seq);
    if (shown == windows.end())
        return std::nullopt;
    const auto last = std::next(shown);
    const auto of_session = [&](const WindowPtr& window) { return window->session == (*shown)->session; };
    const auto first = std::find_if(begin, last, of_session);
    auto from = first;
    if (span_ns > 0)
        from = std::find_if(
            first, shown, [&](const WindowPtr& window) { return window->row.end_ns > (*shown)->row.end_ns - span_ns; });
    Moment out;
    out.figures = run_of({from, last}, window_before(from));
    out.series = series_of(first, last);
    out.series.slots = out.figures.slots; // who holds the horizon
    out.seq = (*shown)->seq;
    out.first_seq = (*first)->seq;
    return out;
}

} // namespace snapscope
