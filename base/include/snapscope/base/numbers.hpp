// Numbers as people read them: the terminal and the reports write them alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace snapscope {

// 1234567.8 -> "1234567.8": `digits` significant digits, never an exponent
// below 1e15; used in tables.
[[nodiscard]] std::string number(double value, int digits = 4);

// 1234567 -> "1 234 567" for reading in text.
[[nodiscard]] std::string grouped(std::uint64_t value);

// 1234 ns -> "1.234 us".
[[nodiscard]] std::string duration_text(double ns);

// "12.3 %"; empty where one of them is unknown or the whole is 0.
[[nodiscard]] std::string percent_text(const std::optional<std::uint64_t>& part,
                                       const std::optional<std::uint64_t>& whole);

} // namespace snapscope
