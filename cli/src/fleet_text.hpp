// What `fleet` prints: the rows of a query, trends, outliers.
#pragma once

#include "output.hpp"

#include <snapscope/fleet/outliers.hpp>
#include <snapscope/fleet/trend.hpp>

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace snapscope::cli {

[[nodiscard]] Table query_table(const LakeRows& rows);
// Numbers and booleans as such, everything else as text.
[[nodiscard]] nlohmann::json query_json(const LakeRows& rows);

// `all`: also the series without a change.
[[nodiscard]] Table trend_table(const Trend& trend, bool all);
[[nodiscard]] nlohmann::json trend_json(const Trend& trend);
[[nodiscard]] std::string trend_text(const Trend& trend, bool all, const Terminal& terminal);

[[nodiscard]] Table outliers_table(const std::vector<OutlierGroup>& groups);
[[nodiscard]] nlohmann::json outliers_json(const std::vector<OutlierGroup>& groups);
[[nodiscard]] std::string outliers_text(const std::vector<OutlierGroup>& groups, const Terminal& terminal);

} // namespace snapscope::cli
