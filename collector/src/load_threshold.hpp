// Where to draw the line between fast and slow loads, and how often that is
// wrong.  Pure.
#pragma once

#include <snapscope/recording/core_latency.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace snapscope {

// The threshold with the least missed + false rate on every other sample; its
// rates are those of the samples between, which did not choose it.  Where many
// thresholds do as well, the middle of the widest such range.  nullopt below
// `least_loads` on a side: rates of so few say nothing.
inline constexpr std::size_t least_loads = 100;
[[nodiscard]] std::optional<LoadThreshold> choose_threshold(std::span<const std::uint32_t> fast,
                                                            std::span<const std::uint32_t> slow);

// Mean of both rates: 0 never wrong, 0.5 tossing a coin.
[[nodiscard]] double error_rate(const LoadThreshold& threshold);

} // namespace snapscope
