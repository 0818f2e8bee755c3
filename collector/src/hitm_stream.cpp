#include "hitm_stream.hpp"

#include <algorithm>

namespace snapscope {
namespace {

// Everything stamped before the last but one mark has come, so a process that is unknown then stays so.
constexpr std::uint64_t rounds_to_wait = 2;
constexpr std::size_t most_waiting = 65536;

} // namespace

HitmStream::HitmStream(AddressMap map, std::uint32_t postmaster,
                       std::function<std::optional<std::uint32_t>(std::uint32_t)> parent_of)
    : tally_(std::move(map)), postmaster_(postmaster), parent_of_(std::move(parent_of)) {
    processes_[postmaster] = Process::server;
}

void HitmStream::forked(std::uint32_t pid, std::uint32_t parent) {
    std::erase_if(gone_, [pid](const auto& old) { return old.second == pid; }); // the number is used again
    processes_[pid] = parent == postmaster_ ? Process::server : Process::other;
    last_pid_.reset();
}

// Its samples may still stand in another CPU's buffer, so it is forgotten later.
void HitmStream::ended(std::uint32_t pid, std::uint64_t /*time_ns*/) {
    if (pid != postmaster_)
        gone_.emplace_back(rounds_, pid);
}

void HitmStream::sample(const PerfSample& sample) {
    if (!sample.data_src)
        return;
    const auto time = static_cast<std::int64_t>(sample.time_ns);
    if (stamped_ && (time < begin_ns_ || (end_ns_ && time > *end_ns_)))
        return;
    ++seen_;
    if (sample.pid != last_pid_) { // samples of one process come in a row
        const auto known = processes_.find(sample.pid);
        last_pid_ = sample.pid;
        last_process_ = known == processes_.end() ? std::nullopt : std::optional(known->second);
    }
    if (last_process_) {
        if (*last_process_ == Process::server)
            count(sample);
        return;
    }
    if (!tally_.map().find(sample.address))
        return; // whoever it is, it is no access that counts
    if (const auto parent = parent_of_(sample.pid)) {
        forked(sample.pid, *parent);
        if (*parent == postmaster_)
            count(sample);
        return;
    }
    if (waiting_.size() < most_waiting)
        waiting_.emplace_back(rounds_, sample);
    else
        ++unknown_;
}

void HitmStream::count(const PerfSample& sample) {
    ++of_server_;
    const Counted counted = tally_.add(sample);
    in_arrays_ += counted != Counted::outside ? 1U : 0U;
    const bool is_remote = counted == Counted::hitm_remote;
    if (!is_remote && counted != Counted::hitm_local)
        return;
    const auto time = static_cast<std::int64_t>(sample.time_ns);
    if (windows_.empty() || time >= windows_.back().end_ns) {
        ahead_.push_back({time, is_remote});
        return;
    }
    const auto window = std::ranges::upper_bound(windows_, time, {}, &HitmWindow::end_ns);
    ++(is_remote ? window->remote : window->local);
}

void HitmStream::close_window(std::int64_t now_ns) {
    HitmWindow window{windows_.empty() ? begin_ns_ : windows_.back().end_ns, now_ns, 0, 0};
    std::erase_if(ahead_, [&](const Moment& moment) {
        if (moment.time_ns >= now_ns)
            return false;
        ++(moment.remote ? window.remote : window.local);
        return true;
    });
    windows_.push_back(window);
}

void HitmStream::round() {
    ++rounds_;
    settle(false);
    while (!gone_.empty() && gone_.front().first + rounds_to_wait < rounds_) {
        processes_.erase(gone_.front().second);
        last_pid_.reset();
        tally_.forget(gone_.front().second);
        gone_.pop_front();
    }
}

void HitmStream::settle(bool all) {
    while (!waiting_.empty() && (all || waiting_.front().first + rounds_to_wait < rounds_)) {
        const auto known = processes_.find(waiting_.front().second.pid);
        if (known == processes_.end())
            ++unknown_;
        else if (known->second == Process::server)
            count(waiting_.front().second);
        waiting_.pop_front();
    }
}

void HitmStream::trace(std::uint32_t /*cpu*/, std::span<const std::byte> bytes) {
    trace_bytes_ += bytes.size();
}

void HitmStream::finish() {
    settle(true);
}

} // namespace snapscope
