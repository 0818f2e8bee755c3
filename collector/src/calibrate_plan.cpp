#include "calibrate_plan.hpp"

#include <algorithm>
#include <array>
#include <random>

namespace snapscope {
namespace {

using ByBorder = std::array<std::vector<CpuPair>, border_count>;

bool in_order(const CpuPair& x, const CpuPair& y) {
    return std::pair(x.first.cpu, x.second.cpu) < std::pair(y.first.cpu, y.second.cpu);
}

std::vector<CpuPair> all_pairs(std::vector<Cpu> cpus) {
    std::ranges::sort(cpus, {}, &Cpu::cpu);
    std::vector<CpuPair> out;
    for (std::size_t a = 0; a < cpus.size(); ++a)
        for (std::size_t b = a + 1; b < cpus.size(); ++b)
            out.emplace_back(cpus[a], cpus[b]);
    return out;
}

ByBorder by_border(const std::vector<CpuPair>& pairs) {
    ByBorder out;
    for (const CpuPair& pair : pairs)
        out.at(static_cast<std::size_t>(border_between(pair.first, pair.second))).push_back(pair);
    return out;
}

} // namespace

std::vector<CpuPair> plan_pairs(const std::vector<Cpu>& cpus, std::size_t most) {
    auto pairs = all_pairs(cpus);
    if (pairs.size() <= most)
        return pairs;
    ByBorder groups = by_border(pairs);
    std::mt19937 random(1); // the same machine, the same sample
    // Scarce borders first: what they leave of their share goes to the others.
    std::ranges::sort(groups, {}, [](const auto& group) { return group.size(); });
    std::vector<CpuPair> out;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        auto& group = groups.at(i);
        const std::size_t share = (most - out.size()) / (groups.size() - i);
        std::ranges::shuffle(group, random);
        group.resize(std::min(group.size(), share));
        out.insert(out.end(), group.begin(), group.end());
    }
    std::ranges::sort(out, in_order);
    return out;
}

std::vector<CpuPair> some_of_each_border(const std::vector<CpuPair>& pairs, std::size_t most) {
    std::vector<CpuPair> out;
    for (auto& group : by_border(pairs)) {
        // Evenly over the group, so that they are not all of one corner.
        const std::size_t taken = std::min(group.size(), most);
        for (std::size_t i = 0; i < taken; ++i)
            out.push_back(group[i * group.size() / taken]);
    }
    return out;
}

} // namespace snapscope
