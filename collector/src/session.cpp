#include "attach.hpp"
#include "event_pump.hpp"
#include "host.hpp"
#include "record_usage.hpp"
#include "server_watch.hpp"

#include <snapscope/collector/session.hpp>

namespace snapscope {
namespace {

using std::chrono::microseconds;

constexpr microseconds nothing_to_drain{1'000'000};
constexpr microseconds first_pause{1000};

} // namespace

struct Session::State {
    State(ServerWatch watch, Site looked_at) : server(std::move(watch)), site(std::move(looked_at)) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    State(State&&) = delete;
    State& operator=(State&&) = delete;
    ~State() {
        const std::int64_t now = monotonic_ns();
        Run unread;
        for (const auto& source : attached.sources)
            source->stop();
        for (EventFeed* feed : attached.feeds)
            static_cast<void>(feed->close(trace)); // what is lost now, nobody was shown
        for (const auto& source : attached.sources)
            source->finish(now, unread);
    }

    void describe() {
        info.postmaster = site.postmaster;
        info.server = site.server;
        if (site.memory)
            info.layout = layout_of(site.memory->header());
        if (auto host = describe_host())
            info.host = std::move(*host);
        for (const auto& source : attached.sources) {
            info.attached.push_back(source->status().name);
            for (const auto& column : source->series())
                info.series.push_back({column.name, info.attached.back(), column.unit, {}});
        }
    }

    ServerWatch server;
    Site site;
    Attached attached;
    SessionInfo info;
    EventTraceWriter trace = EventTraceWriter::discarding();
    microseconds pause = first_pause;
    std::int64_t start_ns = 0;
};

Session::Session(std::unique_ptr<State> state) : state_(std::move(state)) {}
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;
Session::~Session() = default;

const std::vector<std::string>& sources_without_probes() {
    static const std::vector<std::string> names{"ring", "mirror", "sched", "sql"};
    return names;
}

void stay_with(SessionOptions& options, const Postmaster& postmaster) {
    if (postmaster.pgdata.empty())
        return;
    TargetSpec by_folder;
    by_folder.pgdata = postmaster.pgdata;
    by_folder.dsn = options.target.dsn;
    options.target = std::move(by_folder);
}

Status check_session(const SessionOptions& options) {
    SNAPSCOPE_TRY(check_target(options.target));
    return check_sources(options.sources, options.events);
}

Result<Session> Session::open(const SessionOptions& options) {
    SNAPSCOPE_TRY(check_session(options));
    const ProcFs proc;
    const auto postmaster = find_target(proc, options.target);
    if (!postmaster)
        return fail(postmaster.error());
    auto server = ServerWatch::start(proc, postmaster->pid);
    if (!server)
        return fail(server.error());
    auto state = std::make_unique<State>(std::move(*server), look_at(proc, *postmaster));
    RecordOptions how;
    how.target = options.target;
    how.sources = options.sources;
    how.events = options.events;
    how.yes = options.yes;
    auto attached = attach_sources(how, state->site);
    if (!attached)
        return fail(attached.error());
    state->attached = std::move(*attached);
    state->describe();
    state->start_ns = monotonic_ns();
    for (const auto& source : state->attached.sources)
        source->start(state->start_ns);
    return Session(std::move(state));
}

const SessionInfo& Session::info() const {
    return state_->info;
}

SessionSample Session::sample() {
    SessionSample out;
    out.start_ns = state_->start_ns;
    out.end_ns = state_->start_ns = monotonic_ns();
    for (const auto& source : state_->attached.sources) {
        const auto values = source->sample(out.end_ns);
        out.values.insert(out.values.end(), values.begin(), values.end());
        source->look(out.look);
        out.sources.push_back(source->status());
    }
    const auto& missing = state_->attached.unavailable;
    out.sources.insert(out.sources.end(), missing.begin(), missing.end());
    return out;
}

Result<microseconds> Session::drain() {
    if (state_->attached.feeds.empty())
        return nothing_to_drain;
    const auto before = std::chrono::steady_clock::now();
    double fullest = 0;
    for (EventFeed* feed : state_->attached.feeds) {
        const auto drained = feed->drain(state_->trace);
        if (!drained)
            return fail(drained.error());
        fullest = std::max(fullest, drained->fullest);
    }
    const auto took = std::chrono::duration_cast<microseconds>(std::chrono::steady_clock::now() - before);
    return state_->pause = next_pause(state_->pause, took, fullest);
}

bool Session::ended() const {
    return state_->server.ended();
}

int Session::server_fd() const {
    return state_->server.fd();
}

} // namespace snapscope
