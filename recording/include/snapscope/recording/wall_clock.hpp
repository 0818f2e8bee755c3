// Wall-clock times as a run writes them.  Everything inside a run is
// CLOCK_MONOTONIC; `clock.wall_start` is its one anchor.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace snapscope {

// Nanoseconds since the Unix epoch as RFC 3339 in UTC with nine digits of
// fraction: "2024-05-01T12:00:00.000000001Z".
[[nodiscard]] std::string format_wall_time(std::int64_t unix_ns);

// Back; takes 0 to 9 digits of fraction and only the zone Z; nullopt for
// anything else, dates that do not exist included.
[[nodiscard]] std::optional<std::int64_t> parse_wall_time(std::string_view text);

} // namespace snapscope
