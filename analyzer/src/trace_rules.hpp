// The rules of a trace, applied to one event after the other.
#pragma once

#include "trace_event.hpp"

#include <snapscope/analyzer/trace_check.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

namespace snapscope {

class TraceRules {
  public:
    explicit TraceRules(TraceReport& report) : report_(report) {}
    void event(const TraceEvent& event);
    void finish();

    // Adds to the report.
    void broken(const TraceEvent& event, std::uint64_t offset, const char* rule, std::string message);

  private:
    struct Thread {
        std::vector<std::int64_t> ends; // of open slices, innermost last; open_ended for B
        std::int64_t last_start = -1;
        std::int64_t last_end = -1;
    };
    struct Place {
        std::uint64_t event, offset;
    };
    struct PendingFlow {
        Place place;
        std::uint64_t thread;
    };
    using Id = std::tuple<std::string, std::string, std::string>; // pid or name, cat, id

    // Times in ns; nullopt where the field breaks a rule (already reported) or is absent.
    std::optional<std::int64_t> time(const TraceEvent& event, TraceField field, const char* rule);
    std::optional<std::uint32_t> identity(const TraceEvent& event, TraceField field, bool required);
    bool words(const TraceEvent& event, std::initializer_list<TraceField> fields, const char* rule);
    Thread* thread(const TraceEvent& event, std::optional<std::uint32_t> pid, std::optional<std::uint32_t> tid);

    void order(const TraceEvent& event, std::int64_t ts);
    void slice(const TraceEvent& event, Thread& thread, std::int64_t ts, std::int64_t end);
    void end_slice(const TraceEvent& event, Thread& thread, std::int64_t ts);
    void async(const TraceEvent& event, char phase);
    void counter(const TraceEvent& event);
    void instant(const TraceEvent& event);
    void flow(const TraceEvent& event, char phase, Thread& thread, std::uint64_t key, std::int64_t ts);
    void settle_flows();
    void metadata(const TraceEvent& event);

    TraceReport& report_;
    bool timed_ = false; // a timed event was seen
    std::int64_t last_ts_ = 0;
    std::unordered_map<std::uint64_t, Thread> threads_; // pid << 32 | tid
    std::map<Id, std::uint64_t> open_async_;
    std::map<Id, Place> open_flows_;
    std::set<std::string> tracks_;
    bool tracks_reported_ = false;
    std::vector<PendingFlow> pending_flows_; // at last_ts_, not yet seen inside a slice
};

} // namespace snapscope
