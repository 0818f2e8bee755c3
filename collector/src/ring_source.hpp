// Source `ring`: the patched server's own counters, and its events when asked
// for (ring_events.hpp).
#pragma once

#include "ring_events.hpp"

#include <snapscope/collector/counter_table.hpp>
#include <snapscope/collector/memory_file.hpp>
#include <snapscope/collector/source.hpp>

#include <memory>

namespace snapscope {

class RingSource final : public Source {
  public:
    // Becomes the server's one consumer.  `events` also sets up the rings;
    // they start with start() and are drained by the feed.
    static Result<std::unique_ptr<RingSource>> attach(MemoryFile& file, bool events);

    [[nodiscard]] std::vector<SeriesName> series() const override;
    void start(std::int64_t now_ns) override;
    std::vector<Value> sample(std::int64_t now_ns) override;
    void lose_server() override { lost_ = true; }
    void stop() override;
    void finish(std::int64_t now_ns, Run& run) override;
    // Durations only where nobody else drains the events meanwhile.
    void look(Run& run) const override;
    [[nodiscard]] SourceStatus status() const override;
    [[nodiscard]] bool interrupted() const override { return restarts_ > 0; }

    // nullptr without events.
    [[nodiscard]] RingEvents* events() { return events_.get(); }
    [[nodiscard]] bool restarted() const { return restarts_ > 0; }

  private:
    explicit RingSource(MemoryFile& file);
    CounterSums read();
    [[nodiscard]] bool tells(const char* total) const;
    void put_totals(Run& run) const;
    void put_slots(Run& run) const;
    void put_durations(Run& run) const;

    MemoryFile& file_;
    CounterTable table_;
    std::unique_ptr<RingEvents> events_;
    std::uint32_t incarnation_ = 0;
    std::uint64_t restarts_ = 0;
    bool lost_ = false;
    std::int64_t start_ns_ = 0, end_ns_ = 0;
};

} // namespace snapscope
