// The eBPF program for unpatched servers (probes/bpf/stock.bpf.c), loaded and
// attached: the thin part that touches the kernel.
#pragma once

#include "elf_symbols.hpp"
#include "probe_links.hpp"
#include "server_words.hpp"

#include <snapscope/base/mapping.hpp>
#include <snapscope/collector/log_histogram.hpp>

// clang-format off: the skeleton's header needs it first
#include "stock_bpf.h"
// clang-format on

#include <array>
#include <memory>
#include <span>

struct stock_bpf;

namespace snapscope {

struct StockProbeOptions {
    pid_t postmaster = 0;             // 0: everyone counts
    std::optional<SlotNumber> number; // none: a row a process, in order of appearance
    std::uint32_t rows = 0;
    std::optional<std::uint32_t> completion_count; // offset of snapXactCompletionCount
    bool fields_known = false;                     // SnapshotData is as in 13 to 18
    bool events = false;
};

// A function to probe: where its first instruction lies in the file.
struct ProbedFunction {
    snapscope_stock_probe probe = SNAPSCOPE_STOCK_SNAPSHOT;
    std::uint64_t file_offset = 0;
    FirstInstruction first = FirstInstruction::push;
};

using StockHits = snapscope_stock_hits;

class StockProbes {
  public:
    static Result<std::unique_ptr<StockProbes>> load(const StockProbeOptions& options);
    StockProbes(const StockProbes&) = delete;
    StockProbes& operator=(const StockProbes&) = delete;
    StockProbes(StockProbes&&) = delete;
    StockProbes& operator=(StockProbes&&) = delete;
    ~StockProbes();

    // In every process that runs FILE (pid -1), or in this one (0).
    Status attach(const std::string& file, const ProbedFunction& function, pid_t pid = -1);
    // FILE's USDT probes lwlock__wait__start and __done.
    Status attach_waits(const std::string& file);
    // Counts calls only, for estimates.
    Status attach_estimate(const std::string& file, const ProbedFunction& function);
    // Takes all probes off; waits for those under way.
    void detach();
    [[nodiscard]] bool attached() const { return !links_.empty(); }

    // Attached probes count from here on, or no longer.
    void set_counting(bool on);

    [[nodiscard]] std::span<const snapscope_stock_row> rows() const;
    [[nodiscard]] StockHits hits() const;
    [[nodiscard]] std::array<LogHistogram, 2> waits() const;
    [[nodiscard]] int event_map() const;
    [[nodiscard]] std::uint32_t event_bytes() const;

  private:
    struct Destroy {
        void operator()(stock_bpf* skeleton) const;
    };
    StockProbes() = default;

    std::unique_ptr<stock_bpf, Destroy> skeleton_;
    Mapping rows_;
    std::size_t row_count_ = 0;
    ProbeLinks links_; // goes before the program
};

} // namespace snapscope
