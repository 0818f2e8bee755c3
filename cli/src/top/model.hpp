// What `top` shows, as numbers: rates and states out of samples of a session.
// Pure: samples in, state out.
#pragma once

#include <snapscope/analyzer/statistics.hpp>
#include <snapscope/collector/session.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace snapscope::cli {

// One series over the last interval: per second, or as it is where it is a
// state (docs/contracts.md).  nullopt: the source could not tell.
struct TopNumber {
    std::string name, source, unit;
    EvidenceKind kind = EvidenceKind::counted;
    bool state = false;
    std::optional<double> value;
};
[[nodiscard]] bool is_state(const std::string& name, const std::string& unit);

// Snapshots of the last interval that were timed; percentiles lie in buckets.
struct TopDuration {
    std::string source, outcome; // outcome: empty for all
    std::uint64_t timed = 0;
    std::optional<Interval> p50, p90, p99;
};

struct TopSlot {
    std::uint32_t slot = 0;
    std::optional<std::uint32_t> pid;
    std::optional<std::uint32_t> socket; // where it ran most, this interval or the last one that it ran in
    std::optional<double> snapshots_per_s;
    std::optional<double> cpu_share; // of one CPU
};

struct TopState {
    std::string target; // "pid 812, port 5432, /srv/pg/data"
    Server server;
    std::string trouble;    // why nothing is seen now; empty: all is well
    std::uint64_t gaps = 0; // times that the server was away
    double interval_s = 0;  // that the numbers are of; 0: nothing seen yet
    std::vector<TopNumber> numbers;
    std::vector<TopDuration> durations;
    std::vector<TopSlot> slots;
    std::size_t sockets = 0;
    std::vector<SourceStatus> sources;
    // Snapshots a second of past intervals, oldest first; nullopt: not known, or a gap.
    std::deque<std::optional<double>> history;

    // The number NAME of the first source that tells it; ring before ebpf.
    [[nodiscard]] const TopNumber* number(const std::string& name) const;
};

class TopModel {
  public:
    void attached(const SessionInfo& info);
    void add(const SessionSample& sample);
    // The server is away; what was seen of it is not what is.
    void away(const std::string& why);

    [[nodiscard]] const TopState& state() const { return state_; }

  private:
    void count_numbers(const SessionSample& sample, double seconds);
    void time_snapshots(const Run& since);
    void place_slots(const Run& look, const Run& since, double seconds);
    [[nodiscard]] std::optional<std::uint32_t> socket_of(const std::vector<CpuShare>& ran) const;

    TopState state_;
    std::vector<Series> series_;
    std::map<std::uint32_t, std::uint32_t> socket_of_cpu_;
    Run last_look_;
    std::map<std::uint32_t, std::uint32_t> last_socket_; // by slot
};

} // namespace snapscope::cli
