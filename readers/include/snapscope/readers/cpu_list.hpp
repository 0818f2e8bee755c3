// Lists of CPUs as tools print them.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace snapscope {

// "0-1,4" -> {0, 1, 4}, ascending; "" is none.  nullopt for anything else, for
// a range that falls, and for numbers above 65535.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> parse_cpu_list(std::string_view text);

// "0{0-1,4}  1{24-25,120}" of perf c2c -> CPUs by node; nullopt where it is none.
[[nodiscard]] std::optional<std::map<std::uint32_t, std::vector<std::uint32_t>>> parse_node_sets(std::string_view text);

} // namespace snapscope
