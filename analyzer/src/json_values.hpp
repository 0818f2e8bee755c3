// Values into JSON: what is absent becomes null.
#pragma once

#include <snapscope/analyzer/statistics.hpp>

#include <nlohmann/json.hpp>
#include <optional>

namespace snapscope {

template <typename T> [[nodiscard]] nlohmann::json or_null(const std::optional<T>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json();
}

// [low, high]
[[nodiscard]] inline nlohmann::json or_null(const std::optional<Interval>& value) {
    return value ? nlohmann::json::array({value->low, value->high}) : nlohmann::json();
}

} // namespace snapscope
