// Whether two groups of measurements may be compared, and what a reader of
// the comparison must know.
#pragma once

#include <snapscope/analyzer/measurements.hpp>
#include <snapscope/base/result.hpp>

#include <string>
#include <vector>

namespace snapscope {

// An error where the comparison would be wrong, else warnings.
[[nodiscard]] Result<std::vector<std::string>> check_conditions(const std::vector<Measurement>& base,
                                                                const std::vector<Measurement>& other);

} // namespace snapscope
