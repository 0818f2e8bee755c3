// A server that goes away during a recording and comes back: everything is
// detached where it goes and attached again where it is back, so that all sources
// leave out the same time.
#include "recording.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;
constexpr std::int64_t look_every_ns = 200'000'000;
constexpr int most_attempts = 25; // for all sources that took part before

} // namespace

void Recording::leave_server() {
    end_observation();
    if (pump_)
        pump_->release();
    finish_sources();
    stretch_.reset();
    gone_ = false;
}

// A server that starts up may refuse some sources at first: all that took part
// before are waited for, for some attempts.
std::unique_ptr<Stretch> Recording::attach_again(const Postmaster& postmaster, int& attempts) {
    ++attempts;
    auto stretch = Stretch::open(again_, ProcFs(), postmaster);
    if (!stretch) {
        server_end_ = "the server went away and could not be recorded on: " + stretch.error().what;
        return nullptr;
    }
    const bool whole = (*stretch)->attached.sources.size() == again_.sources.size();
    if ((*stretch)->server.gone() || (!whole && attempts < most_attempts))
        return nullptr;
    return std::move(*stretch);
}

std::unique_ptr<Stretch> Recording::server_back(std::int64_t deadline_ns) {
    const std::int64_t gone_ns = monotonic_ns();
    for (int attempts = 0; !over() && monotonic_ns() < deadline_ns;) {
        const auto postmaster = return_.find();
        if (!postmaster && monotonic_ns() - gone_ns >= options_.return_limit.count() * ns_per_s)
            return nullptr;
        if (postmaster && return_.ready(*postmaster))
            if (auto stretch = attach_again(*postmaster, attempts); stretch || attempts > most_attempts)
                return stretch;
        wait_until(std::min(monotonic_ns() + look_every_ns, deadline_ns));
    }
    return nullptr;
}

void Recording::go_on(std::unique_ptr<Stretch> stretch) {
    stretch_ = std::move(stretch);
    Gap gap = return_.describe(stretch_->site);
    return_ = ServerReturn(stretch_->site, stretch_->server);
    name_columns();
    gap.begin_ns = window_start_ns_;
    start_sources();
    gap.end_ns = window_start_ns_;
    write_window({gap.begin_ns, gap.end_ns, std::vector<Value>(run_.windows.series.size())});
    first_row_ = run_.windows.start_ns.size();
    note("recording goes on: " + gap.reason);
    run_.gaps.push_back(std::move(gap));
    // Who reads a recording that was cut off later shall know.
    Run known = run_;
    known.sources = parts_.sources();
    if (const auto revised = folder_->revise(known); !revised)
        warn_once(revised.error());
}

// False: the recording ends with its server.
bool Recording::survive_gap(std::int64_t deadline_ns) {
    leave_server();
    note("the server has gone; waiting for it to come back");
    auto stretch = server_back(deadline_ns);
    if (!stretch) {
        gone_ = true;
        return false;
    }
    server_end_.clear();
    go_on(std::move(stretch));
    return true;
}

void Recording::warn_of_gaps() {
    const auto seconds = [this](std::int64_t ns) {
        return static_cast<double>(ns - run_.clock.start_ns) / static_cast<double>(ns_per_s);
    };
    for (const Gap& gap : run_.gaps) {
        run_.warnings.push_back(fmt::format("a gap from {:.1f} to {:.1f} s, which figures leave out: {}",
                                            seconds(gap.begin_ns), seconds(gap.end_ns), gap.reason));
        partial_ = true;
    }
}

} // namespace snapscope
