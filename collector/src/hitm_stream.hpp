// What comes out of perf, down to what counts: samples of this server's
// processes between the beginning and the end of what is observed.
//
// A list of pids would miss backends that begin later: a process is the
// server's when the postmaster is its parent, which perf's own stream says of
// old and new ones.  Samples of a process come before that word where CPUs are
// written one after the other; they wait for it.
#pragma once

#include <snapscope/readers/line_tally.hpp>
#include <snapscope/readers/perf_stream.hpp>

#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

namespace snapscope {

struct HitmWindow {
    std::int64_t start_ns = 0, end_ns = 0;
    std::uint64_t local = 0, remote = 0;
};

class HitmStream final : public PerfVisitor {
  public:
    // PARENT_OF asks the system for the parent of a process that runs; nullopt: it does not.
    HitmStream(AddressMap map, std::uint32_t postmaster,
               std::function<std::optional<std::uint32_t>(std::uint32_t)> parent_of);

    // Stamps are CLOCK_MONOTONIC; without such stamps everything counts.
    void begin(std::int64_t now_ns) { begin_ns_ = now_ns; }
    void end(std::int64_t now_ns) { end_ns_ = now_ns; }
    // The window that began with the last one, or with begin(), ends.
    void close_window(std::int64_t now_ns);
    void stamps_are_monotonic(bool yes) { stamped_ = yes; }

    void sample(const PerfSample& sample) override;
    void forked(std::uint32_t pid, std::uint32_t parent) override;
    void ended(std::uint32_t pid, std::uint64_t time_ns) override;
    void lost(std::uint64_t samples) override { lost_ += samples; }
    void throttled() override { ++throttled_; }
    void round() override;
    void trace(std::uint32_t cpu, std::span<const std::byte> bytes) override;
    // Nothing more comes: what still waits belongs to nobody known.
    void finish();

    [[nodiscard]] bool has_stamps() const { return stamped_; }
    [[nodiscard]] LineTally& tally() { return tally_; }
    [[nodiscard]] const LineTally& tally() const { return tally_; }
    [[nodiscard]] const std::vector<HitmWindow>& windows() const { return windows_; }
    // Of the whole machine, in the time observed; of the server; in its arrays.
    [[nodiscard]] std::uint64_t seen() const { return seen_; }
    [[nodiscard]] std::uint64_t of_server() const { return of_server_; }
    [[nodiscard]] std::uint64_t in_arrays() const { return in_arrays_; }
    [[nodiscard]] std::uint64_t lost_samples() const { return lost_; }
    [[nodiscard]] std::uint64_t unknown_process() const { return unknown_; }
    [[nodiscard]] std::uint64_t throttles() const { return throttled_; }
    [[nodiscard]] std::uint64_t trace_bytes() const { return trace_bytes_; }

  private:
    enum class Process { server, other };
    void count(const PerfSample& sample);
    void settle(bool all);

    LineTally tally_;
    std::uint32_t postmaster_;
    std::function<std::optional<std::uint32_t>(std::uint32_t)> parent_of_;
    std::unordered_map<std::uint32_t, Process> processes_;
    std::optional<std::uint32_t> last_pid_; // whose entry is last_process_
    std::optional<Process> last_process_;
    std::deque<std::pair<std::uint64_t, PerfSample>> waiting_; // round in which it came
    std::deque<std::pair<std::uint64_t, std::uint32_t>> gone_; // round in which it ended, pid
    std::uint64_t rounds_ = 0;
    std::int64_t begin_ns_ = 0;
    std::optional<std::int64_t> end_ns_;
    bool stamped_ = true;
    std::vector<HitmWindow> windows_;
    struct Moment {
        std::int64_t time_ns;
        bool remote;
    };
    std::vector<Moment> ahead_; // HITM stamped after the last closed window
    std::uint64_t seen_ = 0, of_server_ = 0, in_arrays_ = 0, lost_ = 0, unknown_ = 0, throttled_ = 0, trace_bytes_ = 0;
};

} // namespace snapscope
