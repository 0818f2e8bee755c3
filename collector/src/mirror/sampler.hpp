// The thread that looks at the proc array at a chosen rate.
//
// The dense part (roster, xids, lock word, counters) is read each tick; xmins and
// PGPROC entries more seldom, at a pace that keeps their reading to about a
// thousandth of the time.  A tick that comes too late is left out and
// counted.  The thread's own CPU time is kept under a budget: past it the rate
// is lowered, and raised again when there is room.
//
// The segment's inode is compared each second, and whenever a read fails or
// counters go back; a new segment (crash restart) is located and checked anew,
// and what lies between is a gap.  All checks run again each minute.
#pragma once

#include "dense_reader.hpp"
#include "proc_reader.hpp"
#include "server_image.hpp"
#include "shared_mapping.hpp"
#include "tally.hpp"

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace snapscope::mirror {

struct SamplerOptions {
    double rate_hz = 1000;
    double budget = 0.03; // of one CPU
    bool map = false;     // map the segment where that cannot hurt (shared_mapping.hpp)
};

// As of one moment; all of it belongs together.
struct Reading {
    std::optional<Counters> counters; // none: nothing can be read now
    std::uint64_t gaps = 0;           // so far; more than before: what lies between is not known
    WindowTally window;
};

class Sampler {
  public:
    // Both outlive it.
    Sampler(const ServerImage& image, Anatomy anatomy, SamplerOptions options);
    Sampler(const Sampler&) = delete;
    Sampler& operator=(const Sampler&) = delete;
    Sampler(Sampler&&) = delete;
    Sampler& operator=(Sampler&&) = delete;
    ~Sampler() { stop(); }

    void start();
    void stop();
    // The counters now, and the window since the last call.
    Reading take();
    // The same of a server that has gone: the counters as of the last look at it.
    Reading take_last();

    // After stop():
    [[nodiscard]] const Tally& tally() const { return tally_; }
    [[nodiscard]] const Anatomy& anatomy() const { return anatomy_; }
    // At any time:
    [[nodiscard]] std::uint64_t gaps() const;
    [[nodiscard]] std::uint64_t cpu_ns() const { return cpu_ns_.load(); }
    [[nodiscard]] std::string trouble() const;    // why nothing is read at present, or was in the end
    [[nodiscard]] std::string not_mapped() const; // why the segment is read by calls; empty where it is mapped

  private:
    void run();
    void tick();
    void look();
    void look_at_procs();
    void look_around(std::int64_t now_ns);
    void find_again();
    void open_mapping();
    void check_mapping();
    void lose(const std::string& why);
    [[nodiscard]] bool segment_is_same() const;
    void keep_budget(std::int64_t now_ns);
    [[nodiscard]] const Memory& memory() const;

    const ServerImage& image_;
    const SamplerOptions options_;

    mutable std::mutex mutex_; // over all below, down to the thread
    Anatomy anatomy_;
    DenseReader dense_;
    ProcReader procs_;
    Tally tally_;
    std::unique_ptr<SharedMapping> mapping_;
    std::string trouble_, not_mapped_;
    std::uint64_t gaps_ = 0;
    std::optional<Counters> last_counters_; // of the last look
    std::uint64_t last_next_xid_ = 0;
    std::atomic<bool> lost_{false}; // written with the mutex held

    // Of the thread alone.
    double period_ns_ = 0;
    std::int64_t next_procs_ns_ = 0, next_second_ns_ = 0, next_minute_ns_ = 0, next_search_ns_ = 0;
    std::int64_t budget_from_ns_ = 0;
    std::uint64_t budget_from_cpu_ns_ = 0;

    std::atomic<std::uint64_t> cpu_ns_{0};
    std::atomic<bool> stop_{false};
    std::thread thread_;
};

} // namespace snapscope::mirror
