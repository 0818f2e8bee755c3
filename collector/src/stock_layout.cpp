#include "stock_layout.hpp"

#include <snapscope/base/text.hpp>

#include <array>

namespace snapscope {
namespace {

//                                     major bytes  number        offset        xmin count completion
constexpr std::array<StockLayout, 6> layouts{{{13, 856, 56, std::nullopt, 4, 16, std::nullopt},
                                              {14, 880, 72, 68, 56, 32, 112},
                                              {15, 880, 72, 68, 56, 32, 112},
                                              {16, 880, 72, 68, 56, 32, 112},
                                              {17, 888, std::nullopt, 64, 56, 32, 112},
                                              {18, 832, std::nullopt, 64, 56, 32, 96}}};

} // namespace

std::optional<StockLayout> stock_layout(int major) {
    for (const auto& layout : layouts)
        if (layout.major == major)
            return layout;
    return std::nullopt;
}

std::optional<int> major_of(std::string_view version) {
    return parse_integer<int>(version.substr(0, version.find_first_not_of("0123456789")));
}

} // namespace snapscope
