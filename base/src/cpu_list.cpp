#include <snapscope/base/cpu_list.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>

namespace snapscope {
namespace {

constexpr std::uint32_t most_cpus = 65536;

} // namespace

std::optional<std::vector<std::uint32_t>> parse_cpu_list(std::string_view text) {
    std::vector<std::uint32_t> out;
    text = trim(text);
    if (text.empty())
        return out;
    for (const std::string& item : split(text, ',')) {
        const std::string_view part = trim(item);
        const auto dash = part.find('-');
        const auto from = parse_integer<std::uint32_t>(part.substr(0, dash));
        const auto to = dash == std::string_view::npos ? from : parse_integer<std::uint32_t>(part.substr(dash + 1));
        if (!from || !to || *to < *from || *to >= most_cpus || out.size() > most_cpus)
            return std::nullopt;
        for (std::uint32_t cpu = *from; cpu <= *to; ++cpu)
            out.push_back(cpu);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

} // namespace snapscope
