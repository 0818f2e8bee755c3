#include <snapscope/base/text.hpp>
#include <snapscope/readers/cpu_list.hpp>

namespace snapscope {

std::optional<std::map<std::uint32_t, std::vector<std::uint32_t>>> parse_node_sets(std::string_view text) {
    std::map<std::uint32_t, std::vector<std::uint32_t>> out;
    text = trim(text);
    while (!text.empty()) {
        const auto open = text.find('{');
        const auto close = text.find('}');
        if (open == std::string_view::npos || close == std::string_view::npos || close < open)
            return std::nullopt;
        const auto node = parse_integer<std::uint32_t>(text.substr(0, open));
        auto cpus = parse_cpu_list(text.substr(open + 1, close - open - 1));
        if (!node || !cpus || cpus->empty() || !out.emplace(*node, std::move(*cpus)).second)
            return std::nullopt;
        text = trim(text.substr(close + 1));
    }
    return out;
}

} // namespace snapscope
