// The BPF ring buffer of probes/bpf/snapshot.bpf.c as a feed of the trace.
#pragma once

#include "bpf_support.hpp"
#include "event_feed.hpp"

#include <functional>
#include <memory>
#include <vector>

namespace snapscope {

class EbpfEvents final : public EventFeed {
  public:
    // `lost` reads how many events found no room so far.
    static Result<std::unique_ptr<EbpfEvents>> create(int ring_map, std::uint64_t ring_bytes,
                                                      std::function<std::uint64_t()> lost, std::uint32_t slots);

    Result<Drained> drain(EventTraceWriter& trace) override;
    Status close(EventTraceWriter& trace) override;
    // Called once, before close(): takes the probes off.
    void on_close(std::function<void()> detach) { detach_ = std::move(detach); }

    [[nodiscard]] std::uint64_t records() const { return records_; }
    [[nodiscard]] std::uint64_t reserve_failed() const { return lost_; }
    [[nodiscard]] std::uint64_t malformed() const { return malformed_; }
    [[nodiscard]] std::uint64_t backward_stamps() const { return backward_; }

  private:
    struct Pending {
        std::vector<Event> events;
        std::int64_t last_ns = 0;
    };
    struct FreeRing {
        void operator()(ring_buffer* ring) const { ring_buffer__free(ring); }
    };

    EbpfEvents(std::uint64_t ring_bytes, std::function<std::uint64_t()> lost, std::uint32_t slots);
    static int take(void* self, void* data, std::size_t bytes);
    void take(const void* data, std::size_t bytes);
    Status write_pending(EventTraceWriter& trace);

    std::unique_ptr<ring_buffer, FreeRing> ring_;
    std::uint64_t ring_bytes_;
    std::function<std::uint64_t()> read_lost_;
    std::vector<Pending> slots_;
    std::vector<std::uint32_t> touched_;
    std::function<void()> detach_;
    std::uint64_t records_ = 0, lost_ = 0, reported_ = 0, malformed_ = 0, backward_ = 0;
};

} // namespace snapscope
