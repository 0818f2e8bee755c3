#include "recording.hpp"

#include "host.hpp"
#include "page_placement.hpp"

#include <snapscope/collector/capabilities.hpp>
#include <snapscope/recording/windows.hpp>

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::int64_t ns_per_ms = 1'000'000;
constexpr double ns_per_s = 1e9;
// How late an interrupt may be noticed when its signal went to another thread.
constexpr std::int64_t longest_wait_ms = 100;

std::int64_t wall_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

std::string rfc3339(std::int64_t ns) {
    const auto seconds = static_cast<std::time_t>(ns / 1'000'000'000);
    std::tm utc{};
    ::gmtime_r(&seconds, &utc);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday,
                       utc.tm_hour, utc.tm_min, utc.tm_sec, ns / ns_per_ms % 1000);
}

} // namespace

Recording::Recording(const RecordOptions& options, std::unique_ptr<Stretch> stretch, const std::atomic<bool>& stop)
    : options_(options), stop_(stop), stretch_(std::move(stretch)), return_(stretch_->site, stretch_->server),
      again_(options) {}

Status Recording::describe() {
    auto id = make_run_id();
    if (!id)
        return fail(id.error());
    const Site& site = stretch_->site;
    const Attached& attached = stretch_->attached;
    run_.id = std::move(*id);
    run_.tool_version = options_.tool_version;
    run_.server = site.server;
    run_.pairing = options_.pairing;
    if (site.memory)
        run_.layout = layout_of(site.memory->header());
    if (auto host = describe_host())
        run_.host = std::move(*host);
    else
        run_.warnings.push_back(host.error().message());
    again_.sources.clear();
    for (const auto& source : attached.sources) {
        again_.sources.push_back(source->status().name);
        for (const auto& column : source->series()) {
            if (column.name == "snapshots_taken" && !taken_column_)
                taken_column_ = run_.windows.series.size();
            run_.windows.series.push_back({column.name, source->status().name, column.unit, {}});
        }
        run_.sources.push_back(source->status());
    }
    name_columns();
    for (const auto& source : attached.sources)
        source->describe(run_);
    run_.layout.memory = memory_placement(ProcFs(), static_cast<pid_t>(run_.server.pid), run_.layout.arrays);
    run_.sources.insert(run_.sources.end(), attached.unavailable.begin(), attached.unavailable.end());
    missing_requested_ = attached.missing_requested || attached.sources.empty();
    two_feeds_ = attached.feeds.size() > 1;
    run_.clock.start_ns = monotonic_ns();
    run_.clock.end_ns = run_.clock.start_ns;
    run_.clock.wall_start = rfc3339(wall_ns());
    run_.events = !attached.feeds.empty();
    if (!options_.load.empty()) {
        run_.workload.emplace();
        run_.workload->command = command_line(options_.load);
    }
    return {};
}

// Another binary may tell other things than the first: those have no series.
void Recording::name_columns() {
    columns_.clear();
    const auto& known = run_.windows.series;
    for (const auto& source : stretch_->attached.sources) {
        const std::string name = source->status().name;
        for (const auto& column : source->series()) {
            const auto same = [&](const Series& series) { return series.name == column.name && series.source == name; };
            columns_.push_back(static_cast<std::size_t>(std::ranges::find_if(known, same) - known.begin()));
        }
    }
}

Status Recording::create_folder() {
    if (stretch_->server.ended())
        return fail(server_has_ended(stretch_->server.pid()));
    auto folder = RunFolderWriter::create(options_.output, run_, options_.force);
    if (!folder)
        return fail(folder.error());
    folder_.emplace(std::move(*folder));
    return {};
}

Status Recording::start_events() {
    if (!run_.events)
        return {};
    EventTraceInfo info;
    info.run_id = run_.id;
    info.host = run_.host.name;
    info.server_version = run_.server.version;
    info.postmaster_pid = run_.server.pid;
    info.wall_offset_ns = wall_ns() - monotonic_ns();
    auto trace = EventTraceWriter::create(folder_->events_folder(), info);
    if (!trace)
        return fail(trace.error());
    pump_.emplace(std::move(*trace));
    return {};
}

// Attached is attached: from here on, reading maps needs the BPF rights, looking at
// another user's server its right, also where that comes back after a restart, and
// root its way to its own files, to the load, and to logging in again as the
// server's owner; nothing else is kept, and every later thread inherits that.
void Recording::give_up_rights() const {
    std::vector<const char*> keep{"cap_sys_ptrace"};
    const auto takes_part = [this](std::string_view name) {
        return std::ranges::find(again_.sources, name) != again_.sources.end();
    };
    if (takes_part("mirror") && options_.map)
        keep.insert(keep.end(), {"cap_checkpoint_restore", "cap_dac_read_search"});
    if (takes_part("ebpf") || takes_part("sched"))
        keep.insert(keep.end(), {"cap_bpf", "cap_perfmon"});
    if (takes_part("ebpf")) // kernels have been seen to ask for it where a uprobe is set anew
        keep.push_back("cap_sys_admin");
    if (takes_part("watch"))
        keep.push_back("cap_perfmon");
    if (::geteuid() == 0)
        keep.insert(keep.end(), {"cap_dac_override", "cap_dac_read_search", "cap_kill"});
    if (::geteuid() == 0 && (takes_part("sql") || takes_part("mirror")))
        keep.insert(keep.end(), {"cap_setuid", "cap_setgid"});
    keep_only_capabilities(keep);
}

void Recording::start_sources() {
    window_start_ns_ = monotonic_ns();
    first_row_ = run_.windows.start_ns.size();
    for (const auto& source : stretch_->attached.sources)
        source->start(window_start_ns_);
    if (pump_)
        pump_->start(stretch_->attached.feeds);
}

void Recording::start_load() {
    if (options_.load.empty())
        return;
    auto load = LoadRun::start(options_.load);
    if (!load) {
        load_ended_ = load_failed_ = true;
        run_.workload->exit_status = 127;
        run_.workload->notes.push_back(load.error().message());
        return;
    }
    load_.emplace(std::move(*load));
    if (options_.on_load)
        options_.on_load(load_->group());
}

void Recording::wait_until(std::int64_t until_ns) {
    while (!ended()) {
        const std::int64_t left_ms = (until_ns - monotonic_ns() + ns_per_ms - 1) / ns_per_ms;
        if (left_ms <= 0)
            return;
        std::vector<pollfd> watched;
        if (stretch_)
            std::ranges::copy(stretch_->server.watched(), std::back_inserter(watched));
        if (load_)
            std::ranges::copy(load_->watched(), std::back_inserter(watched));
        if (::poll(watched.data(), watched.size(), static_cast<int>(std::min(left_ms, longest_wait_ms))) <= 0)
            continue;
        gone_ = stretch_ && stretch_->server.gone();
        load_ended_ = load_ && load_->ended();
    }
}

void Recording::warn_once(const Error& error) {
    partial_ = true;
    const auto text = error.message();
    if (std::find(run_.warnings.begin(), run_.warnings.end(), text) == run_.warnings.end())
        run_.warnings.push_back(text);
}

void Recording::take_window() {
    const std::int64_t now = monotonic_ns();
    WindowRow row;
    row.start_ns = window_start_ns_;
    row.end_ns = now;
    row.values.resize(run_.windows.series.size());
    auto column = columns_.begin();
    for (const auto& source : stretch_->attached.sources)
        for (const Value& value : source->sample(now))
            if (const std::size_t index = *column++; index < row.values.size())
                row.values[index] = value;
    write_window(std::move(row));
}

void Recording::write_window(WindowRow row) {
    window_start_ns_ = row.end_ns;
    append_row(run_.windows, row);
    if (const auto written = folder_->append_window(row); !written)
        warn_once(written.error());
}

void Recording::tell(const Progress& progress) const {
    RecordProgress now;
    now.elapsed_s = static_cast<double>(window_start_ns_ - run_.clock.start_ns) / ns_per_s;
    if (taken_column_ && run_.windows.series[*taken_column_].values.back())
        now.snapshots_per_s = *run_.windows.series[*taken_column_].values.back() * ns_per_s /
                              static_cast<double>(run_.windows.end_ns.back() - run_.windows.start_ns.back());
    progress(now);
}

void Recording::watch(const Progress& progress) {
    const std::int64_t start = run_.clock.start_ns;
    const std::int64_t interval = options_.interval.count() * ns_per_ms;
    const std::int64_t longest = INT64_MAX - start;
    const std::int64_t deadline =
        options_.duration ? start + std::min<std::int64_t>(options_.duration->count(), longest) : INT64_MAX;
    for (std::int64_t tick = start + interval; !over(); tick += interval) {
        wait_until(std::min(tick, deadline));
        if (over() || monotonic_ns() >= deadline)
            return;
        if (!gone_)
            take_window();
        else if (!survive_gap(deadline))
            return;
        // A machine that stood still makes one long window, not a burst of empty ones.
        tick = std::max(tick, monotonic_ns() - interval);
        tell(progress);
    }
}

// Here the recording ends, or a gap begins: counting stops and is read before
// anything slow.
void Recording::end_observation() {
    if (!stretch_)
        return;
    const bool gone = stretch_->server.gone();
    for (const auto& source : stretch_->attached.sources) {
        if (gone)
            source->lose_server();
        source->stop();
    }
    take_window();
    run_.clock.end_ns = window_start_ns_;
}

void Recording::finish_load() {
    if (!load_)
        return;
    auto end = load_->finish();
    if (options_.on_load)
        options_.on_load(0);
    run_.workload = std::move(end.workload);
    load_output_ = std::move(end.output);
    load_errors_ = std::move(end.errors);
    load_failed_ = end.failed;
    // A server that shuts down, or crashes, ends the sessions of its load first.
    if (load_failed_ && stretch_ && server_end_.empty() && stretch_->server.ending())
        server_end_ = "the server ended during the recording, or crashed, and its load with it";
}

// What the sources of this stretch have to say becomes a part of the run.
void Recording::finish_sources() {
    if (!stretch_)
        return;
    Run part;
    part.clock = run_.clock;
    part.clock.ticks_per_ns.reset();
    part.clock.calibration_error_ns.reset();
    part.clock.backward_stamps = 0;
    part.host = run_.host;
    part.server = stretch_->site.server;
    part.layout.arrays = run_.layout.arrays;
    const auto from = static_cast<std::ptrdiff_t>(first_row_);
    part.windows.start_ns.assign(run_.windows.start_ns.begin() + from, run_.windows.start_ns.end());
    part.windows.end_ns.assign(run_.windows.end_ns.begin() + from, run_.windows.end_ns.end());
    for (const auto& source : stretch_->attached.sources) {
        source->finish(run_.clock.end_ns, part);
        part.sources.push_back(source->status());
        partial_ |= source->interrupted();
    }
    const auto& unavailable = stretch_->attached.unavailable;
    part.sources.insert(part.sources.end(), unavailable.begin(), unavailable.end());
    parts_.add(std::move(part), first_row_);
}

void Recording::conclude() {
    std::move(parts_).put(run_);
    // A sample that is left out leaves the others what they are.
    for (const auto& source : run_.sources)
        partial_ |= source.lost > 0 && source.kind != EvidenceKind::sampled;
    partial_ |= missing_requested_;
    warn_of_gaps();
    if (gone_ && server_end_.empty())
        server_end_ = "the server ended during the recording";
    if (!server_end_.empty()) {
        run_.warnings.push_back(server_end_);
        partial_ = true;
    }
    if (two_feeds_)
        run_.warnings.push_back("eBPF probes trapped inside the snapshots that the rings timed: the durations of both "
                                "include that; record with --source ring for times alone");
    if (options_.events && !run_.events) {
        run_.warnings.push_back("no source could record events");
        partial_ = true;
    }
    run_.finished = true;
}

void Recording::note(const std::string& text) const {
    if (options_.note)
        options_.note(text);
}

Result<RecordOutcome> Recording::run(const Progress& progress) {
    SNAPSCOPE_TRY(describe());
    SNAPSCOPE_TRY(create_folder());
    SNAPSCOPE_TRY(start_events());
    give_up_rights();
    start_sources();
    run_.clock.start_ns = window_start_ns_;
    start_load();
    watch(progress);
    end_observation();
    finish_load();
    if (pump_)
        if (const auto stopped = pump_->stop(); !stopped)
            warn_once(stopped.error());
    finish_sources();
    conclude();
    if (const auto finished = folder_->finish(run_); !finished)
        return fail(finished.error().what, "what was recorded before stays in " + folder_->folder().string());
    return RecordOutcome{folder_->folder(),       std::move(run_),        partial_, load_failed_ && server_end_.empty(),
                         std::move(load_output_), std::move(load_errors_)};
}

} // namespace snapscope
