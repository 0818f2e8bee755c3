// Lists of CPUs as the kernel and other tools print them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace snapscope {

// "0-1,4" -> {0, 1, 4}, ascending; "" is none.  nullopt for anything else, for
// a range that falls, and for numbers above 65535.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> parse_cpu_list(std::string_view text);

} // namespace snapscope
