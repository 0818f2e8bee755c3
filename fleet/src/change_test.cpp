#include "change_test.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

namespace snapscope {
namespace {

constexpr std::size_t least_values = 6;
constexpr std::size_t least_side = 2;
constexpr std::size_t most_exact = 100;

// below[k][u]: P(U <= u) for k values against n - k, u up to k * (n - k).
// The numbers of arrangements are the coefficients of the Gaussian binomial:
// [n, k] = [n - 1, k] + q^(n - k) [n - 1, k - 1].
using Distribution = std::vector<std::vector<double>>;

Distribution distribution_of(std::size_t n) {
    Distribution ways{{1}};
    for (std::size_t size = 1; size <= n; ++size) {
        Distribution next(size + 1);
        for (std::size_t k = 0; k <= size; ++k) {
            next[k].assign(k * (size - k) + 1, 0);
            if (k < size)
                for (std::size_t u = 0; u < ways[k].size(); ++u)
                    next[k][u] += ways[k][u];
            if (k > 0)
                for (std::size_t u = 0; u < ways[k - 1].size(); ++u)
                    next[k][u + size - k] += ways[k - 1][u];
        }
        ways = std::move(next);
    }
    for (std::vector<double>& of_k : ways) {
        double sum = 0;
        for (double& count : of_k)
            count = sum += count;
        for (double& count : of_k)
            count /= sum;
    }
    return ways;
}

const Distribution& exact_distribution(std::size_t n) {
    static thread_local std::map<std::size_t, Distribution> known;
    auto found = known.find(n);
    if (found == known.end())
        found = known.emplace(n, distribution_of(n)).first;
    return found->second;
}

// P(U <= u) where k values stand against n - k.
double at_most(std::size_t u, std::size_t k, std::size_t n) {
    if (n <= most_exact)
        return exact_distribution(n)[k][u];
    const auto pairs = static_cast<double>(k * (n - k));
    const double deviation = std::sqrt(pairs * static_cast<double>(n + 1) / 12);
    return 0.5 * std::erfc((pairs / 2 - static_cast<double>(u) - 0.5) / deviation / std::sqrt(2.0));
}

} // namespace

ChangeTest change_test(std::span<const double> values) {
    const std::size_t n = values.size();
    ChangeTest best;
    if (n < least_values)
        return best;
    // Pairs (before, after) with before < after, and with before <= after.
    std::size_t less = 0, not_more = 0;
    const auto moves_before = [&](std::size_t i) {
        for (std::size_t j = 0; j < i; ++j) { // pairs with i as the later one are gone
            less -= values[j] < values[i];
            not_more -= values[j] <= values[i];
        }
        for (std::size_t j = i + 1; j < n; ++j) {
            less += values[i] < values[j];
            not_more += values[i] <= values[j];
        }
    };
    double best_p = 1;
    const std::size_t splits = n - 2 * least_side + 1;
    for (std::size_t k = 1; k <= n - least_side; ++k) {
        moves_before(k - 1);
        if (k < least_side)
            continue;
        const std::size_t pairs = k * (n - k);
        const double p = 2 * std::min(at_most(not_more, k, n), at_most(pairs - less, k, n));
        if (p < best_p) {
            best_p = p;
            best.first = k;
        }
    }
    best.p_value = std::min(1.0, best_p * static_cast<double>(splits));
    return best;
}

} // namespace snapscope
