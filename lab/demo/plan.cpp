#include "plan.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope::demo {

std::vector<Block> balanced_order(std::uint32_t rounds) {
    std::vector<Block> order;
    for (std::uint32_t round = 1; round <= rounds; ++round) {
        const std::size_t first = (round - 1) % modes.size();
        order.push_back({first, round, 1});
        order.push_back({1 - first, round, 2});
    }
    return order;
}

std::filesystem::path run_path(const std::filesystem::path& folder, const Block& block) {
    return folder / fmt::format("{}-{:02}.snap", modes.at(block.mode), block.round);
}

std::filesystem::path probes_path(const std::filesystem::path& folder, std::size_t mode) {
    return folder / fmt::format("probes-{}.snap", modes.at(mode));
}

bool is_run_name(std::string_view name) {
    return name.ends_with(".snap") && std::ranges::any_of(modes, [&](std::string_view mode) {
               return name.starts_with(fmt::format("{}-", mode)) || name == fmt::format("probes-{}.snap", mode);
           });
}

std::string pair_word(const std::string& series, const Block& block) {
    return fmt::format("{}:{}:{}", series, block.round, block.position);
}

} // namespace snapscope::demo
