#include "watcher.hpp"

#include <snapscope/collector/capabilities.hpp>
#include <snapscope/recording/gauges.hpp>

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <poll.h>

namespace snapscope {
namespace {

using std::chrono::milliseconds;
using Steady = std::chrono::steady_clock;

constexpr milliseconds longest_pause{100}; // wishes are seen after it
constexpr std::size_t most_marks = 100;

// What attaching again after a restart needs: a look at the server's memory and
// files, probes, the owner's identity for the login.
const std::vector<const char*> kept_rights{"cap_sys_ptrace",   "cap_bpf",    "cap_perfmon", "cap_dac_read_search",
                                           "cap_dac_override", "cap_setuid", "cap_setgid",  "cap_kill"};

std::int64_t clock_ns(clockid_t clock) {
    timespec now{};
    ::clock_gettime(clock, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

} // namespace

Result<std::unique_ptr<Watcher>> Watcher::start(Options options) {
    std::unique_ptr<Watcher> watcher(new Watcher(std::move(options)));
    std::promise<Status> attached;
    auto answer = attached.get_future();
    watcher->thread_ =
        std::thread([self = watcher.get(), attached = std::move(attached)]() mutable { self->run(attached); });
    if (auto status = answer.get(); !status)
        return fail(status.error());
    return watcher;
}

Watcher::~Watcher() {
    stop_.store(true);
    if (thread_.joinable())
        thread_.join();
}

void Watcher::change(const std::function<void()>& what) {
    {
        const std::lock_guard guard(lock_);
        what();
        ++now_.version;
    }
    options_.changed();
}

Watched Watcher::look() const {
    const std::lock_guard guard(lock_);
    Watched out = now_;
    out.windows = ring_.windows();
    return out;
}

std::uint64_t Watcher::version() const {
    const std::lock_guard guard(lock_);
    return now_.version;
}

void Watcher::run(std::promise<Status>& attached) {
    auto session = Session::open(options_.session);
    if (!session)
        return attached.set_value(fail(session.error()));
    keep_only_capabilities(kept_rights);
    attach(std::move(*session));
    attached.set_value({});
    auto next_sample = Steady::now() + options_.interval;
    while (!stop_.load()) {
        if (session_ && session_->ended()) {
            end_session();
            away("the server has ended; waiting for it to come back");
        }
        if (!session_ && Steady::now() >= reattachment_.due()) {
            attach_again();
            next_sample = Steady::now() + options_.interval;
        }
        milliseconds pause = longest_pause;
        if (session_) {
            const auto drained = session_->drain();
            if (!drained) {
                end_session();
                away(drained.error().message());
                continue;
            }
            if (Steady::now() >= next_sample) {
                take_sample();
                next_sample = std::max(next_sample + options_.interval, Steady::now());
            }
            pause = std::min({pause, std::chrono::ceil<milliseconds>(*drained),
                              std::chrono::ceil<milliseconds>(next_sample - Steady::now())});
        }
        act_on_wishes();
        pollfd ended{session_ ? session_->server_fd() : -1, POLLIN, 0};
        ::poll(&ended, 1, static_cast<int>(std::max(pause.count(), milliseconds::rep{0})));
    }
    end_session();
}

void Watcher::attach(Session session) {
    session_.emplace(std::move(session));
    live_.reset();
    totals_ = {};
    const SessionInfo& info = session_->info();
    reattachment_.attached(options_.session, info);
    change([&] {
        now_.name = info.postmaster.describe();
        now_.key = info.postmaster.pgdata.empty() ? now_.name : info.postmaster.pgdata;
        now_.trouble.clear();
    });
}

void Watcher::away(const std::string& why) {
    reattachment_.postpone();
    const std::lock_guard guard(lock_);
    if (now_.trouble == why)
        return;
    now_.trouble = why;
    now_.totals.reset();
    ++now_.version;
    options_.changed();
}

void Watcher::attach_again() {
    auto session = reattachment_.attempt(options_.session);
    if (!session)
        return away(session.error().what);
    attach(std::move(*session));
}

void Watcher::take_sample() {
    SessionSample sample = session_->sample();
    if (sample.end_ns <= sample.start_ns)
        return;
    if (!live_) {
        auto live = std::make_shared<LiveSession>();
        live->info = session_->info();
        live->start_ns = sample.start_ns;
        live->wall_offset_ns = clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
        live_ = std::move(live);
    }
    auto window = std::make_shared<LiveWindow>();
    window->session = live_;
    window->row = {sample.start_ns, sample.end_ns, std::move(sample.values)};
    window->look = std::move(sample.look);
    window->sources = std::move(sample.sources);
    add_totals(*window);
    window->seq = next_seq_++;
    record(window);
    auto totals = std::make_shared<const Run>(totals_);
    change([&] {
        ring_.push(window);
        now_.totals = std::move(totals);
        // A mark lasts as long as what it is about.
        const std::uint64_t oldest = ring_.oldest_seq();
        std::erase_if(now_.marks, [&](const Mark& mark) { return mark.seq < oldest; });
    });
}

// Sums since the session began, and the last window for what is no sum.
void Watcher::add_totals(const LiveWindow& window) {
    const auto& series = window.session->info.series;
    if (totals_.windows.series.empty()) {
        totals_.server = window.session->info.server;
        totals_.windows.series = series;
        for (const Series& column : series)
            if (!is_gauge(column.name))
                totals_.totals.push_back({column.name, column.source, column.unit, std::nullopt});
    }
    auto total = totals_.totals.begin();
    for (std::size_t i = 0; i < series.size(); ++i) {
        const auto& value = window.row.values[i];
        totals_.windows.series[i].values = {value};
        if (is_gauge(series[i].name))
            continue;
        if (value)
            total->value = total->value.value_or(0) + static_cast<std::int64_t>(*value);
        ++total;
    }
    totals_.windows.start_ns = {window.row.start_ns};
    totals_.windows.end_ns = {window.row.end_ns};
    totals_.histograms = window.look.histograms;
    totals_.sources = window.sources;
}

void Watcher::end_session() {
    end_recording(stop_.load() ? "" : "the server ended during the recording");
    session_.reset();
}

Status Watcher::mark(std::uint64_t seq, const std::string& text) {
    Status out;
    change([&] {
        const WindowList windows = ring_.windows();
        const auto at = std::ranges::find_if(windows, [&](const WindowPtr& window) { return window->seq == seq; });
        if (at == windows.end())
            out = fail("that moment is no longer kept");
        else if (now_.marks.size() >= most_marks)
            out = fail(fmt::format("there are {} marks", most_marks), "they go with the windows that they are on");
        else
            now_.marks.push_back({seq, (*at)->row.end_ns, text});
    });
    return out;
}

} // namespace snapscope
