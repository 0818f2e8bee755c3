// The numbers of a run by name, and the derived metrics that `show`, `diff`
// and reports share (names and formulas: docs/contracts.md).
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

enum class Better { higher, lower, none };
[[nodiscard]] const char* to_string(Better better);

// What is known about a metric's name; an unknown one has no unit and no better direction.
struct MetricInfo {
    std::string unit;
    Better better = Better::none;
};
[[nodiscard]] MetricInfo metric_info(std::string_view name);

// The derived metrics' names, in the contract's order.
[[nodiscard]] std::vector<std::string> contract_metrics();

struct Metric {
    std::string name;
    std::string source; // the row of run.sources, or "workload"
    double value = 0;
};

[[nodiscard]] const SourceStatus* find_source(const Run& run, std::string_view name);

// The total NAME of `source`; nullopt where it is absent or null.
[[nodiscard]] std::optional<std::uint64_t> total(const Run& run, std::string_view name, std::string_view source);

// The source whose snapshot counters stand for the run: ring before ebpf, the
// first that has snapshots_taken.  Numbers of one source are never mixed with
// another's.  Empty: none.
[[nodiscard]] std::string snapshot_source(const Run& run);

// Histogram NAME over all labels: the one with an empty label, else the sum of
// the labelled ones of one source where their bounds agree; ring before ebpf
// before others.  nullopt where nothing was counted.
[[nodiscard]] std::optional<Histogram> whole_histogram(const Run& run, std::string_view name);

// Seconds between the clock's ends, gaps left out; nullopt when it does not run forward.
[[nodiscard]] std::optional<double> duration_s(const Run& run);

// Seconds of the run that SOURCE watched: less than duration_s() where it kept to a
// budget, and its counts are of that part.
[[nodiscard]] std::optional<double> observed_s(const Run& run, const std::string& source);

// The derived metrics that this run can tell, in the contract's order.
[[nodiscard]] std::vector<Metric> derive_metrics(const Run& run);

} // namespace snapscope
