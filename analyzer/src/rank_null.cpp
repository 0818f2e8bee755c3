#include "rank_null.hpp"

#include <algorithm>
#include <numeric>

namespace snapscope {

std::vector<std::int64_t> doubled_midranks(std::span<const std::int64_t> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<std::int64_t> ranks(values.size());
    for (std::size_t begin = 0; begin < order.size();) {
        std::size_t end = begin;
        while (end < order.size() && values[order[end]] == values[order[begin]])
            ++end;
        // Ranks begin+1 .. end share their mean (begin + 1 + end) / 2.
        for (std::size_t i = begin; i < end; ++i)
            ranks[order[i]] = static_cast<std::int64_t>(begin + 1 + end);
        begin = end;
    }
    return ranks;
}

double SignedRankNull::p_value(std::vector<std::int64_t> ranks, std::int64_t sum) {
    if (sum == 0)
        return 1;
    std::sort(ranks.begin(), ranks.end());
    const std::int64_t total = std::accumulate(ranks.begin(), ranks.end(), std::int64_t{0});
    auto [entry, fresh] = tails_.try_emplace(ranks);
    std::vector<double>& tail = entry->second;
    if (fresh) {
        tail.assign(static_cast<std::size_t>(total) + 1, 0.0);
        tail[0] = 1;
        std::size_t reach = 0;
        for (const std::int64_t rank : ranks) {
            const auto step = static_cast<std::size_t>(rank);
            reach += step;
            for (std::size_t at = reach + 1; at-- > 0;)
                tail[at] = 0.5 * (tail[at] + (at >= step ? tail[at - step] : 0.0));
        }
        for (std::size_t at = tail.size() - 1; at-- > 0;)
            tail[at] += tail[at + 1];
    }
    // |S| >= |sum| <=> the positive ranks sum to (total + |sum|) / 2 or more, or
    // to its mirror image or less.
    const auto positive = static_cast<std::size_t>((total + (sum < 0 ? -sum : sum)) / 2);
    return std::min(1.0, 2 * tail[positive]);
}

double RankSumNull::p_value(std::vector<std::int64_t> ranks, std::int64_t sum) {
    std::sort(ranks.begin(), ranks.end());
    auto [entry, fresh] = cumulative_.try_emplace(ranks);
    std::vector<double>& cumulative = entry->second;
    if (fresh) {
        const auto first_largest = ranks.end() - static_cast<std::ptrdiff_t>(chosen_);
        const auto width = static_cast<std::size_t>(std::accumulate(first_largest, ranks.end(), std::int64_t{0})) + 1;
        // ways[k][w]: subsets of k ranks with sum w; whole numbers below 2^53.
        std::vector<std::vector<double>> ways(chosen_ + 1, std::vector<double>(width, 0.0));
        ways[0][0] = 1;
        for (const std::int64_t rank : ranks) {
            const auto step = static_cast<std::size_t>(rank);
            for (std::size_t k = chosen_; k > 0; --k)
                for (std::size_t w = width; w-- > step;)
                    ways[k][w] += ways[k - 1][w - step];
        }
        cumulative = std::move(ways[chosen_]);
        std::partial_sum(cumulative.begin(), cumulative.end(), cumulative.begin());
        const double all = cumulative.back();
        for (double& p : cumulative)
            p /= all;
    }
    const auto at = static_cast<std::size_t>(sum);
    const double low = cumulative[at];
    const double high = 1 - (at > 0 ? cumulative[at - 1] : 0.0);
    return std::min(1.0, 2 * std::min(low, high));
}

} // namespace snapscope
