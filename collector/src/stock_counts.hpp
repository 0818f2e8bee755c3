// What the rows of the eBPF program for unpatched servers add up to, in the words
// of a run.  What the plan cannot tell has no value.
#pragma once

#include "stock_plan.hpp"

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace snapscope {

struct StockCount {
    const char* name;
    const char* unit;
    std::optional<std::uint64_t> value;
};
[[nodiscard]] std::vector<StockCount> stock_counts(const StockPlan& plan, const StockProbes& probes);

void put_stock_slots(const StockPlan& plan, const StockProbes& probes, Run& run);
void put_stock_histograms(const StockPlan& plan, const StockProbes& probes, Run& run);

} // namespace snapscope
