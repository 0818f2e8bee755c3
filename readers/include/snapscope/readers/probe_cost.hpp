// What a probe costs, from a table of measurements, and what that comes to at
// a rate of calls.
#pragma once

#include <snapscope/base/result.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct ProbeCost {
    std::string probe;
    std::optional<double> kernel_ns, userspace_ns; // null: not measured, or not possible
};

// A CSV with columns probe, kernel_ns, userspace_ns; a blank cell or a word for
// none is null, anything else that is no number an error with line and column.
[[nodiscard]] Result<std::vector<ProbeCost>> read_probe_costs(std::string_view text, const std::string& label);

// Share of one core that probes of `ns` each take at this rate.
[[nodiscard]] double probe_load(double calls_per_s, double ns);

// From here on a user is warned: a tenth of a core.
inline constexpr double probe_load_limit = 0.1;

// "probes would take 72 % of one core (100000 calls/s at 7221 ns)" above the
// limit; nullopt below.
[[nodiscard]] std::optional<std::string> probe_load_warning(double calls_per_s, double ns);

} // namespace snapscope
