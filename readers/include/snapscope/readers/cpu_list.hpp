// CPUs by node as perf prints them.
#pragma once

#include <snapscope/base/cpu_list.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

namespace snapscope {

// "0{0-1,4}  1{24-25,120}" of perf c2c -> CPUs by node; nullopt where it is none.
[[nodiscard]] std::optional<std::map<std::uint32_t, std::vector<std::uint32_t>>> parse_node_sets(std::string_view text);

} // namespace snapscope
