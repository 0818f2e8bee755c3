#include "random.hpp"

#include <snapscope/analyzer/bimodal.hpp>
#include <snapscope/analyzer/statistics.hpp>

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <cmath>
#include <vector>

namespace snapscope {
namespace {

constexpr std::size_t least_values = 8;
constexpr std::size_t simulations = 4999;
constexpr double level = 0.01;
constexpr std::uint64_t seed = 20180116;
constexpr std::size_t most_values = 500; // beyond, every second one decides
constexpr std::size_t uniform_steps = std::size_t{1} << 32;

struct Split {
    double gain = 0; // between over within sum of squares
    std::size_t at = 0;
};

// Of ascending values.
Split best_split(const std::vector<double>& values) {
    const std::size_t n = values.size();
    const std::size_t least = std::max<std::size_t>(2, (n + 4) / 5);
    double sum = 0;
    double squares = 0;
    for (const double value : values) {
        sum += value;
        squares += value * value;
    }
    const double total = squares - sum * sum / static_cast<double>(n);
    Split out;
    double left = 0;
    for (std::size_t i = 1; i < n; ++i) {
        left += values[i - 1];
        if (i < least || n - i < least)
            continue;
        const auto a = static_cast<double>(i);
        const auto b = static_cast<double>(n - i);
        const double between = left * left / a + (sum - left) * (sum - left) / b - sum * sum / static_cast<double>(n);
        const double within = std::max(total - between, total * 1e-12);
        if (within > 0 && between / within > out.gain)
            out = {between / within, i};
    }
    return out;
}

double normal_draw(SeededRandom& random) {
    const double u = (static_cast<double>(random.below(uniform_steps)) + 0.5) / static_cast<double>(uniform_steps);
    return boost::math::quantile(boost::math::normal(), u);
}

} // namespace

std::optional<TwoGroups> two_groups(std::span<const double> given) {
    if (given.size() < least_values)
        return std::nullopt;
    std::vector<double> raw(given.begin(), given.end());
    std::sort(raw.begin(), raw.end());
    while (raw.size() > most_values) {
        std::vector<double> half;
        for (std::size_t i = 0; i < raw.size(); i += 2)
            half.push_back(raw[i]);
        raw = std::move(half);
    }
    std::vector<double> values = raw;
    if (raw.front() > 0)
        for (double& value : values)
            value = std::log(value);
    const double centre = *mean(values);
    for (double& value : values)
        value -= centre;
    const Split found = best_split(values);
    if (found.at == 0)
        return std::nullopt;
    SeededRandom random(seed);
    std::size_t as_good = 0;
    std::vector<double> sample(values.size());
    for (std::size_t round = 0; round < simulations; ++round) {
        for (double& value : sample)
            value = normal_draw(random);
        std::sort(sample.begin(), sample.end());
        if (best_split(sample).gain >= found.gain)
            ++as_good;
        if (static_cast<double>(as_good) > level * (simulations + 1))
            return std::nullopt;
    }
    TwoGroups out;
    out.p_value = static_cast<double>(as_good + 1) / (simulations + 1);
    if (out.p_value > level)
        return std::nullopt;
    const auto middle = static_cast<std::ptrdiff_t>(found.at);
    out.low = *median(std::span(raw).first(found.at));
    out.high = *median(std::span(raw).subspan(found.at));
    out.low_count = static_cast<std::size_t>(middle);
    out.high_count = raw.size() - out.low_count;
    return out;
}

} // namespace snapscope
