// What can be probed in an unpatched server's binary, what the probes will tell,
// and what they will cost.
#pragma once

#include "overhead_budget.hpp"
#include "probe_cost.hpp"
#include "server_words.hpp"
#include "stock_probes.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// Calls of probed functions a second, by SNAPSCOPE_STOCK_*, and the server's CPU time beside them.
struct ProbeRates {
    std::array<double, SNAPSCOPE_STOCK_PROBES> own{}, others{};
    double server_cpu = 0; // of one CPU, at_least_used()
};

// SEEN of entries in ELAPSED_NS; each entry returns.
[[nodiscard]] ProbeRates rates_of(const StockHits& seen, double elapsed_ns, double server_cpu_ns);

class StockPlan {
  public:
    // EXE may be a procfs link.  Class unavailable without GetSnapshotData.
    static Result<StockPlan> make(const ProcFs& proc, pid_t postmaster, const std::string& exe);

    [[nodiscard]] const std::vector<ProbedFunction>& functions() const { return functions_; }
    [[nodiscard]] bool has(snapscope_stock_probe probe) const;
    [[nodiscard]] bool waits() const { return waits_; }           // USDT is compiled in
    [[nodiscard]] bool scans_only() const { return scans_only_; } // a version that never reuses
    [[nodiscard]] StockProbeOptions options() const { return options_; }
    // Why slots and outcomes are unknown; empty when they are known.
    [[nodiscard]] const std::string& unknown() const { return unknown_; }
    // About functions whose probes are single-stepped.
    [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

    // Measures what each probe costs on this kernel.
    Status measure_costs();
    [[nodiscard]] double ns_of(const std::array<double, SNAPSCOPE_STOCK_PROBES>& hits) const;
    [[nodiscard]] double snapshot_ns() const {
        return ns_each_[SNAPSCOPE_STOCK_SNAPSHOT] + ns_each_[SNAPSCOPE_STOCK_RETURN];
    }

  private:
    void learn_words(const ProcFs& proc, pid_t postmaster);

    std::vector<ProbedFunction> functions_;
    std::array<double, SNAPSCOPE_STOCK_PROBES> ns_each_{};
    StockProbeOptions options_;
    bool waits_ = false, scans_only_ = false;
    std::string unknown_;
    std::vector<std::string> warnings_;
};

// Own and others' hits between two readings.
[[nodiscard]] std::array<double, SNAPSCOPE_STOCK_PROBES> hits_between(const StockHits& before, const StockHits& now);

// "GetSnapshotData 1200/s ...: 3.1 % of the server's CPU time", and what follows from it.
[[nodiscard]] std::string describe_cost(const StockPlan& plan, const ProbeRates& rates, const OverheadBudget& budget);
// Probe time over the server's CPU time.
[[nodiscard]] double cost_share(const StockPlan& plan, const ProbeRates& rates);

} // namespace snapscope
