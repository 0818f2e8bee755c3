#include <snapscope/base/numbers.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace snapscope {

std::string number(double value, int digits) {
    if (!std::isfinite(value))
        return "n/a";
    if (value == 0)
        return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(std::fabs(value))));
    if (magnitude >= 15)
        return fmt::format("{:.{}e}", value, digits - 1);
    return fmt::format("{:.{}f}", value, std::clamp(digits - 1 - magnitude, 0, 12));
}

std::string grouped(std::uint64_t value) {
    std::string digits = std::to_string(value);
    for (auto at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
        digits.insert(static_cast<std::size_t>(at), 1, ' ');
    return digits;
}

std::string duration_text(double ns) {
    if (ns >= 1e9)
        return number(ns / 1e9) + " s";
    if (ns >= 1e6)
        return number(ns / 1e6) + " ms";
    if (ns >= 1e3)
        return number(ns / 1e3) + " us";
    return number(ns) + " ns";
}

std::string percent_text(const std::optional<std::uint64_t>& part, const std::optional<std::uint64_t>& whole) {
    if (!part || !whole || *whole == 0)
        return "";
    return fmt::format("{:.1f} %", 100 * static_cast<double>(*part) / static_cast<double>(*whole));
}

} // namespace snapscope
