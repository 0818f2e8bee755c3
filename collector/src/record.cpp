#include "attach.hpp"
#include "event_pump.hpp"
#include "host.hpp"
#include "load_run.hpp"
#include "page_placement.hpp"
#include "record_usage.hpp"
#include "server_watch.hpp"

#include <snapscope/collector/capabilities.hpp>
#include <snapscope/recording/run_folder.hpp>

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

class Recording {
  public:
    Recording(const RecordOptions& options, Site& site, const ServerWatch& server, Attached& attached,
              const std::atomic<bool>& stop)
        : options_(options), site_(site), server_(server), attached_(attached), stop_(stop) {}

    Result<RecordOutcome> run(const std::function<void(const RecordProgress&)>& progress);

  private:
    Status describe();
    Status create_folder();
    Status start_events();
    void give_up_rights() const;
    void start_sources();
    void start_load();
    void watch(const std::function<void(const RecordProgress&)>& progress);
    void wait_until(std::int64_t until_ns);
    [[nodiscard]] bool ended();
    void take_window();
    void end_observation();
    void finish_load();
    void finish_sources();
    void conclude();
    void warn_once(const Error& error);

    const RecordOptions& options_;
    Site& site_;
    const ServerWatch& server_;
    Attached& attached_;
    const std::atomic<bool>& stop_;
    Run run_;
    std::optional<RunFolderWriter> folder_;
    std::optional<EventPump> pump_;
    std::optional<LoadRun> load_;
    std::string load_output_, load_errors_;
    std::int64_t window_start_ns_ = 0;
    bool load_ended_ = false, load_failed_ = false, server_ended_ = false;
    bool partial_ = false;
    std::optional<std::size_t> taken_column_;
};

Status Recording::describe() {
    auto id = make_run_id();
    if (!id)
        return fail(id.error());
    run_.id = std::move(*id);
    run_.tool_version = options_.tool_version;
    run_.server = site_.server;
    run_.pairing = options_.pairing;
    if (site_.memory)
        run_.layout = layout_of(site_.memory->header());
    if (auto host = describe_host())
        run_.host = std::move(*host);
    else
        run_.warnings.push_back(host.error().message());
    for (const auto& source : attached_.sources) {
        for (const auto& column : source->series()) {
            if (column.name == "snapshots_taken" && !taken_column_)
                taken_column_ = run_.windows.series.size();
            run_.windows.series.push_back({column.name, source->status().name, column.unit, {}});
        }
        run_.sources.push_back(source->status());
    }
    for (const auto& source : attached_.sources)
        source->describe(run_);
    run_.layout.memory = memory_placement(ProcFs(), static_cast<pid_t>(run_.server.pid), run_.layout.arrays);
    run_.sources.insert(run_.sources.end(), attached_.unavailable.begin(), attached_.unavailable.end());
    run_.clock.start_ns = monotonic_ns();
    run_.clock.end_ns = run_.clock.start_ns;
    run_.clock.wall_start = rfc3339(wall_ns());
    run_.events = !attached_.feeds.empty();
    if (!options_.load.empty()) {
        run_.workload.emplace();
        run_.workload->command = command_line(options_.load);
    }
    return {};
}

Status Recording::create_folder() {
    if (server_.ended())
        return fail(server_has_ended(server_.pid()));
    auto folder = RunFolderWriter::create(options_.output, run_, options_.force);
    if (!folder)
        return fail(folder.error());
    folder_.emplace(std::move(*folder));
    return {};
}

Status Recording::start_events() {
    if (attached_.feeds.empty())
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
    pump_.emplace(std::move(*trace), attached_.feeds);
    return {};
}

// Attached is attached: from here on, reading maps needs the BPF rights, the
// mirror its right to look at another user's memory, and root its way to its own files and to the load; nothing else is
// kept, and every later thread inherits that.
void Recording::give_up_rights() const {
    std::vector<const char*> keep;
    const auto takes_part = [this](std::string_view name) {
        return std::ranges::any_of(attached_.sources,
                                   [name](const auto& source) { return source->status().name == name; });
    };
    // Whose an entry is, where words lie, whether the segment is still there: read again and again.
    if (takes_part("mirror") || takes_part("watch") || takes_part("hitm"))
        keep.push_back("cap_sys_ptrace");
    if (takes_part("mirror") && options_.map)
        keep.insert(keep.end(), {"cap_checkpoint_restore", "cap_dac_read_search"});
    if (takes_part("ebpf") || takes_part("sched"))
        keep.insert(keep.end(), {"cap_bpf", "cap_perfmon"});
    if (takes_part("watch"))
        keep.push_back("cap_perfmon");
    if (::geteuid() == 0)
        keep.insert(keep.end(), {"cap_dac_override", "cap_dac_read_search", "cap_kill"});
    keep_only_capabilities(keep);
}

void Recording::start_sources() {
    window_start_ns_ = monotonic_ns();
    run_.clock.start_ns = window_start_ns_;
    for (const auto& source : attached_.sources)
        source->start(window_start_ns_);
    if (pump_)
        pump_->start();
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

bool Recording::ended() {
    return stop_.load() || server_ended_ || load_ended_;
}

void Recording::wait_until(std::int64_t until_ns) {
    while (!ended()) {
        const std::int64_t left_ms = (until_ns - monotonic_ns() + ns_per_ms - 1) / ns_per_ms;
        if (left_ms <= 0)
            return;
        std::vector<pollfd> watched{{server_.fd(), POLLIN, 0}};
        if (load_)
            std::ranges::copy(load_->watched(), std::back_inserter(watched));
        if (::poll(watched.data(), watched.size(), static_cast<int>(std::min(left_ms, longest_wait_ms))) <= 0)
            continue;
        server_ended_ = server_.ended();
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
    for (const auto& source : attached_.sources) {
        const auto values = source->sample(now);
        row.values.insert(row.values.end(), values.begin(), values.end());
    }
    run_.windows.start_ns.push_back(row.start_ns);
    run_.windows.end_ns.push_back(row.end_ns);
    for (std::size_t column = 0; column < row.values.size(); ++column)
        run_.windows.series[column].values.push_back(row.values[column]);
    if (const auto written = folder_->append_window(row); !written)
        warn_once(written.error());
    window_start_ns_ = now;
}

void Recording::watch(const std::function<void(const RecordProgress&)>& progress) {
    const std::int64_t start = run_.clock.start_ns;
    const std::int64_t interval = options_.interval.count() * ns_per_ms;
    const std::int64_t longest = INT64_MAX - start;
    const std::int64_t deadline =
        options_.duration ? start + std::min<std::int64_t>(options_.duration->count(), longest) : INT64_MAX;
    for (std::int64_t tick = start + interval; !ended(); tick += interval) {
        wait_until(std::min(tick, deadline));
        if (ended() || monotonic_ns() >= deadline)
            return;
        take_window();
        // A machine that stood still makes one long window, not a burst of empty ones.
        tick = std::max(tick, monotonic_ns() - interval);
        RecordProgress now;
        now.elapsed_s = static_cast<double>(window_start_ns_ - start) / ns_per_s;
        if (taken_column_ && run_.windows.series[*taken_column_].values.back())
            now.snapshots_per_s = *run_.windows.series[*taken_column_].values.back() * ns_per_s /
                                  static_cast<double>(run_.windows.end_ns.back() - run_.windows.start_ns.back());
        progress(now);
    }
}

// Here the recording ends: counting stops and is read before anything slow.
void Recording::end_observation() {
    for (const auto& source : attached_.sources)
        source->stop();
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
    // A server that shuts down ends the sessions of its load first.
    server_ended_ |= load_failed_ && server_.ending();
}

void Recording::finish_sources() {
    if (pump_) {
        if (const auto stopped = pump_->stop(); !stopped)
            warn_once(stopped.error());
    }
    run_.sources.clear();
    for (const auto& source : attached_.sources) {
        source->finish(run_.clock.end_ns, run_);
        run_.sources.push_back(source->status());
        partial_ |= source->interrupted();
    }
    run_.sources.insert(run_.sources.end(), attached_.unavailable.begin(), attached_.unavailable.end());
}

void Recording::conclude() {
    // A sample that is left out leaves the others what they are.
    for (const auto& source : run_.sources)
        partial_ |= source.lost > 0 && source.kind != EvidenceKind::sampled;
    partial_ |= attached_.missing_requested || attached_.sources.empty();
    if (server_ended_) {
        run_.warnings.push_back("the server ended during the recording");
        partial_ = true;
    }
    if (attached_.feeds.size() > 1)
        run_.warnings.push_back("eBPF probes trapped inside the snapshots that the rings timed: the durations of both "
                                "include that; record with --source ring for times alone");
    if (options_.events && attached_.feeds.empty()) {
        run_.warnings.push_back("no source could record events");
        partial_ = true;
    }
    run_.finished = true;
}

Result<RecordOutcome> Recording::run(const std::function<void(const RecordProgress&)>& progress) {
    SNAPSCOPE_TRY(describe());
    SNAPSCOPE_TRY(create_folder());
    SNAPSCOPE_TRY(start_events());
    give_up_rights();
    start_sources();
    start_load();
    watch(progress);
    end_observation();
    finish_load();
    finish_sources();
    conclude();
    if (const auto finished = folder_->finish(run_); !finished)
        return fail(finished.error().what, "what was recorded before stays in " + folder_->folder().string());
    return RecordOutcome{folder_->folder(),       std::move(run_),        partial_, load_failed_ && !server_ended_,
                         std::move(load_output_), std::move(load_errors_)};
}

} // namespace

std::string default_run_name() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    ::localtime_r(&now, &local);
    return fmt::format("snapscope-{:04}{:02}{:02}-{:02}{:02}{:02}.snap", local.tm_year + 1900, local.tm_mon + 1,
                       local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec);
}

Result<RecordOutcome> record(const RecordOptions& options, const std::atomic<bool>& stop,
                             const std::function<void(const RecordProgress&)>& progress) {
    SNAPSCOPE_TRY(check_usage(options));
    const ProcFs proc;
    const auto postmaster = find_target(proc, options.target);
    if (!postmaster)
        return fail(postmaster.error());
    const auto server = ServerWatch::start(proc, postmaster->pid);
    if (!server)
        return fail(server.error());
    SNAPSCOPE_TRY(RunFolderWriter::check(options.output, options.force));
    Site site = look_at(proc, *postmaster);
    auto attached = attach_sources(options, site);
    if (!attached)
        return fail(attached.error());
    return Recording(options, site, *server, *attached, stop).run(progress);
}

} // namespace snapscope
