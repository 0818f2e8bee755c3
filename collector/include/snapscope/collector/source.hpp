// One source of evidence of a recording.  The recorder attaches all sources,
// calls start() of each, sample() once an interval, then stop() and a last
// sample() of each, and finish() once; a source that cannot go on says so in its
// status and never ends the recording.
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace snapscope {

struct SeriesName {
    std::string name;
    std::string unit;
};

using Value = std::optional<double>;

class Source {
  public:
    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    Source(Source&&) = delete;
    Source& operator=(Source&&) = delete;
    virtual ~Source() = default;

    // Columns of the time series; constant once the source is attached.
    [[nodiscard]] virtual std::vector<SeriesName> series() const = 0;
    // What it knows of the server once attached, into RUN: where the arrays lie,
    // if nothing before it could tell.
    virtual void describe(Run& /*run*/) const {}
    // The baseline; the first window starts here.
    virtual void start(std::int64_t now_ns) = 0;
    // Differences since start() or the last sample(), one a column.
    virtual std::vector<Value> sample(std::int64_t now_ns) = 0;
    // The server has gone, and stop() follows: that it cannot be read any more is
    // no fault of the source.
    virtual void lose_server() {}
    // The end of what is observed: nothing is counted from here on.  Quick, so
    // that all sources end together: it detaches nothing.
    virtual void stop() {}
    // Detaches, and puts totals, histograms and slots into RUN; NOW_NS is the
    // time of the last sample().
    virtual void finish(std::int64_t now_ns, Run& run) = 0;
    // Histograms and slots as finish() would put them now, for views of a server
    // that go on; on the thread that calls sample().
    virtual void look(Run& /*run*/) const {}
    [[nodiscard]] virtual SourceStatus status() const = 0;
    // Part of the time it could not observe.
    [[nodiscard]] virtual bool interrupted() const { return false; }
};

// CLOCK_MONOTONIC
[[nodiscard]] std::int64_t monotonic_ns();

// The status of source NAME, of kind counted, that watched from start to end and
// has nothing to complain of; the source adds its records, losses and troubles.
[[nodiscard]] SourceStatus counted_status(const char* name, std::int64_t start_ns, std::int64_t end_ns);

// The row SLOT of RUN, added when it is missing; rows are sorted by slot at the end.
[[nodiscard]] Slot& slot_row(Run& run, std::uint32_t slot);

} // namespace snapscope
