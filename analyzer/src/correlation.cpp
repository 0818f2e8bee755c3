#include "random.hpp"

#include <snapscope/analyzer/correlation.hpp>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>

namespace snapscope {
namespace {

constexpr std::uint64_t seed = 20180116;
constexpr std::size_t resamples = 2000;
constexpr std::size_t permutations = 9999;
constexpr std::size_t exact_points = 7; // 5040 permutations
constexpr double largest_rho = 0.9999;  // where Fisher's z still is a number
constexpr double slack = 1e-9;          // equal sums of ranks, up to rounding

double pearson(std::span<const double> x, std::span<const double> y) {
    const auto n = static_cast<double>(x.size());
    const double x_mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
    const double y_mean = std::accumulate(y.begin(), y.end(), 0.0) / n;
    double xx = 0;
    double yy = 0;
    double xy = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        xx += (x[i] - x_mean) * (x[i] - x_mean);
        yy += (y[i] - y_mean) * (y[i] - y_mean);
        xy += (x[i] - x_mean) * (y[i] - y_mean);
    }
    return xx > 0 && yy > 0 ? std::clamp(xy / std::sqrt(xx * yy), -1.0, 1.0) : std::nan("");
}

double to_z(double rho) {
    return std::atanh(std::clamp(rho, -largest_rho, largest_rho));
}

// Both are ranks; their means and spreads do not change under permutation, so
// the sum of products decides.
double permutation_p(const std::vector<double>& x, std::vector<double> y) {
    const double centre = std::accumulate(x.begin(), x.end(), 0.0) * std::accumulate(y.begin(), y.end(), 0.0) /
                          static_cast<double>(x.size());
    const auto distance = [&] { return std::fabs(std::inner_product(x.begin(), x.end(), y.begin(), 0.0) - centre); };
    const double observed = distance() - slack;
    std::size_t as_far = 0;
    std::size_t all = 0;
    if (x.size() <= exact_points) {
        std::vector<std::size_t> order(x.size());
        std::iota(order.begin(), order.end(), 0U);
        const std::vector<double> given = y;
        do {
            for (std::size_t i = 0; i < order.size(); ++i)
                y[i] = given[order[i]];
            if (distance() >= observed)
                ++as_far;
            ++all;
        } while (std::next_permutation(order.begin(), order.end()));
        return static_cast<double>(as_far) / static_cast<double>(all);
    }
    SeededRandom random(seed);
    for (; all < permutations; ++all) {
        random.shuffle(y);
        if (distance() >= observed)
            ++as_far;
    }
    return static_cast<double>(as_far + 1) / static_cast<double>(all + 1);
}

// Of z, by resampling points.
std::optional<Interval> bootstrap_z(std::span<const double> x, std::span<const double> y) {
    SeededRandom random(seed);
    const std::size_t n = x.size();
    std::vector<double> a(n);
    std::vector<double> b(n);
    std::vector<double> zs;
    for (std::size_t round = 0; round < resamples; ++round) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t from = random.below(n);
            a[i] = x[from];
            b[i] = y[from];
        }
        if (const auto rho = spearman(a, b))
            zs.push_back(to_z(*rho));
    }
    if (zs.size() < resamples / 2)
        return std::nullopt;
    const auto size = static_cast<double>(n);
    const boost::math::students_t t(size - 1);
    const double tail =
        boost::math::cdf(boost::math::normal(), -std::sqrt(size / (size - 1)) * boost::math::quantile(t, 0.975));
    return Interval{*quantile(zs, tail), *quantile(zs, 1 - tail)};
}

// Bonett & Wright 2000: z has standard error sqrt((1 + rho^2 / 2) / (n - 3)).
// Ranks that agree wholly stand for all that lies beyond half a step of rho,
// which is 12 / (n (n^2 - 1)): with six points one sample in nine does so where
// the correlation is 0.9, and z itself would be without bound.
Interval bonett_wright_z(double rho, std::size_t n) {
    const auto size = static_cast<double>(n);
    const double most = 1 - 6 / (size * (size * size - 1));
    const double z = to_z(std::clamp(rho, -most, most));
    const double half =
        boost::math::quantile(boost::math::normal(), 0.975) * std::sqrt((1 + rho * rho / 2) / (size - 3));
    return {z - half, z + half};
}

} // namespace

std::vector<double> midranks(std::span<const double> values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
    std::vector<double> out(values.size());
    for (std::size_t i = 0; i < order.size();) {
        std::size_t j = i;
        while (j < order.size() && values[order[j]] == values[order[i]])
            ++j;
        for (std::size_t k = i; k < j; ++k)
            out[order[k]] = (static_cast<double>(i + 1) + static_cast<double>(j)) / 2;
        i = j;
    }
    return out;
}

std::optional<double> spearman(std::span<const double> x, std::span<const double> y) {
    if (x.size() != y.size() || x.size() < 2)
        return std::nullopt;
    const double rho = pearson(midranks(x), midranks(y));
    return std::isnan(rho) ? std::nullopt : std::optional(rho);
}

std::optional<double> partial_spearman(std::span<const double> x, std::span<const double> y,
                                       std::span<const double> z) {
    const auto xy = spearman(x, y);
    const auto xz = spearman(x, z);
    const auto yz = spearman(y, z);
    if (!xy || !xz || !yz)
        return std::nullopt;
    const double left = (1 - *xz * *xz) * (1 - *yz * *yz);
    if (left < slack)
        return std::nullopt;
    return std::clamp((*xy - *xz * *yz) / std::sqrt(left), -1.0, 1.0);
}

std::optional<Correlation> correlate(std::span<const double> x, std::span<const double> y) {
    if (x.size() < min_association_points)
        return std::nullopt;
    const auto rho = spearman(x, y);
    if (!rho)
        return std::nullopt;
    Correlation out{*rho, std::nullopt, permutation_p(midranks(x), midranks(y)), x.size()};
    if (const auto z = bootstrap_z(x, y)) {
        const Interval wider = bonett_wright_z(*rho, x.size());
        out.interval95 = Interval{std::tanh(std::min(z->low, wider.low)), std::tanh(std::max(z->high, wider.high))};
    }
    return out;
}

std::vector<double> holm(std::span<const double> p_values) {
    std::vector<std::size_t> order(p_values.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
    std::vector<double> out(p_values.size());
    double most = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        most = std::max(most, std::min(1.0, p_values[order[i]] * static_cast<double>(order.size() - i)));
        out[order[i]] = most;
    }
    return out;
}

} // namespace snapscope
