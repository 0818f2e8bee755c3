#include "random.hpp"

#include <snapscope/analyzer/changepoints.hpp>

#include <algorithm>
#include <cmath>
#include <limits>

namespace snapscope {
namespace {

constexpr std::size_t least_values = 6;
constexpr std::size_t least_segment = 2;
constexpr std::size_t most_segments = 9;
constexpr double level = 0.05;
constexpr std::uint64_t seed = 20180116;

std::size_t permutations_for(std::size_t n) {
    return n <= 64 ? 999 : n <= 300 ? 199 : 99;
}

// Best split of a sequence into 1, 2, ... segments.
class Splitter {
  public:
    explicit Splitter(std::size_t n) : n_(n), most_(std::min(most_segments, n / least_segment)) {
        sums_.resize(n + 1);
        squares_.resize(n + 1);
        cost_.assign(most_ + 1, std::vector<double>(n + 1, std::numeric_limits<double>::infinity()));
        from_.assign(most_ + 1, std::vector<std::size_t>(n + 1, 0));
    }

    void fit(std::span<const double> values) {
        for (std::size_t i = 0; i < n_; ++i) {
            sums_[i + 1] = sums_[i] + values[i];
            squares_[i + 1] = squares_[i] + values[i] * values[i];
        }
        for (std::size_t end = least_segment; end <= n_; ++end)
            cost_[1][end] = within(0, end);
        for (std::size_t k = 2; k <= most_; ++k)
            for (std::size_t end = k * least_segment; end <= n_; ++end)
                extend(k, end);
    }

    // The criterion's maximum over more than one segment, and where it lies.
    double best(double noise, std::vector<std::size_t>& ends) const {
        double most = -std::numeric_limits<double>::infinity();
        for (std::size_t k = 2; k <= most_; ++k) {
            const std::vector<std::size_t> split = trace(k);
            if (const double value = criterion(k, split, noise); value > most) {
                most = value;
                ends = split;
            }
        }
        return most;
    }

  private:
    // Sum of squares around the mean of values [from, to).
    [[nodiscard]] double within(std::size_t from, std::size_t to) const {
        const double sum = sums_[to] - sums_[from];
        return std::max(0.0, squares_[to] - squares_[from] - sum * sum / static_cast<double>(to - from));
    }
    void extend(std::size_t k, std::size_t end) {
        cost_[k][end] = std::numeric_limits<double>::infinity();
        for (std::size_t at = (k - 1) * least_segment; at + least_segment <= end; ++at) {
            const double cost = cost_[k - 1][at] + within(at, end);
            if (cost < cost_[k][end]) {
                cost_[k][end] = cost;
                from_[k][end] = at;
            }
        }
    }
    [[nodiscard]] std::vector<std::size_t> trace(std::size_t k) const {
        std::vector<std::size_t> ends(k);
        for (std::size_t end = n_; k > 0; --k) {
            ends[k - 1] = end;
            end = from_[k][end];
        }
        return ends;
    }
    // Zhang & Siegmund 2007, variance unknown; 0 for one segment.
    [[nodiscard]] double criterion(std::size_t k, const std::vector<std::size_t>& ends, double noise) const {
        const auto n = static_cast<double>(n_);
        const auto m = static_cast<double>(k - 1);
        const double floor = n * noise * noise;
        const double all = std::max(within(0, n_), floor);
        const double left = std::max(cost_[k][n_], floor);
        double lengths = 0;
        for (std::size_t i = 0; i < k; ++i)
            lengths += std::log(static_cast<double>(ends[i] - (i == 0 ? 0 : ends[i - 1])));
        return (n - m + 1) / 2 * std::log(all / left) + std::lgamma((n - m + 1) / 2) - std::lgamma((n + 1) / 2) +
               m / 2 * std::log(all) - lengths / 2 + (0.5 - m) * std::log(n);
    }

    std::size_t n_, most_;
    std::vector<double> sums_, squares_;
    std::vector<std::vector<double>> cost_; // [segments][end]
    std::vector<std::vector<std::size_t>> from_;
};

} // namespace

Segmentation segment(std::span<const double> given, double noise) {
    Segmentation out{{given.size()}, 1};
    if (given.size() < least_values)
        return out;
    std::vector<double> values(given.begin(), given.end());
    // Around their mean, so that differences of squares keep their digits.
    double mean = 0;
    for (const double value : values)
        mean += value / static_cast<double>(values.size());
    for (double& value : values)
        value -= mean;
    Splitter splitter(values.size());
    splitter.fit(values);
    std::vector<std::size_t> ends;
    const double observed = splitter.best(noise, ends);
    if (observed <= 0)
        return out;
    SeededRandom random(seed);
    const std::size_t rounds = permutations_for(values.size());
    std::size_t as_good = 0;
    std::vector<std::size_t> ignored;
    for (std::size_t round = 0; round < rounds; ++round) {
        random.shuffle(values);
        splitter.fit(values);
        if (splitter.best(noise, ignored) >= observed)
            ++as_good;
    }
    // Phipson & Smyth 2010: the order that is there is one of the permutations.
    out.p_value = static_cast<double>(as_good + 1) / static_cast<double>(rounds + 1);
    if (out.p_value <= level)
        out.ends = std::move(ends);
    return out;
}

} // namespace snapscope
