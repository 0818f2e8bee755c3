#include "rank_inversion.hpp"

#include <snapscope/analyzer/rank_tests.hpp>

#include <algorithm>

namespace snapscope {
namespace {

// p-values are sums of exact fractions; this is above their rounding and far
// below the distance between two attainable p-values.
constexpr double slack = 1e-12;

bool accepted(double p) {
    return p > alpha + slack;
}

// Cells: 2i + 1 is breakpoint i, 2i what lies between breakpoints i - 1 and i.
std::vector<double> p_by_cell(const std::vector<std::int64_t>& breakpoints, const PValueAt& p_at) {
    const std::size_t count = breakpoints.size();
    std::vector<double> p(2 * count + 1);
    p.front() = p_at(breakpoints.front() - 1);
    p.back() = p_at(breakpoints.back() + 1);
    for (std::size_t i = 0; i < count; ++i) {
        p[2 * i + 1] = p_at(breakpoints[i]);
        if (i > 0)
            p[2 * i] = p_at((breakpoints[i - 1] + breakpoints[i]) / 2);
    }
    std::vector<double> closed = p;
    for (std::size_t cell = 1; cell < p.size(); cell += 2)
        closed[cell] = std::max({p[cell - 1], p[cell], p[cell + 1]});
    return closed;
}

} // namespace

Inversion invert_exactly(const std::vector<std::int64_t>& breakpoints, const PValueAt& p_at) {
    const std::vector<double> p = p_by_cell(breakpoints, p_at);
    std::vector<double> from_left = p;
    std::vector<double> from_right = p;
    for (std::size_t i = 1; i < p.size(); ++i) {
        from_left[i] = std::max(from_left[i], from_left[i - 1]);
        const std::size_t j = p.size() - 1 - i;
        from_right[j] = std::max(from_right[j], from_right[j + 1]);
    }
    const auto at_zero = std::lower_bound(breakpoints.begin(), breakpoints.end(), 0);
    const auto index = static_cast<std::size_t>(at_zero - breakpoints.begin());
    const bool on_breakpoint = at_zero != breakpoints.end() && *at_zero == 0;
    const std::size_t zero_cell = 2 * index + (on_breakpoint ? 1 : 0);

    Inversion out;
    out.p_value = std::min(from_left[zero_cell], from_right[zero_cell]);
    // The outermost cells are rejected from min_pairs and min_side on, so the
    // first and the last accepted cell are breakpoints.
    std::size_t first = 1;
    while (first + 2 < p.size() && !accepted(p[first]))
        first += 2;
    std::size_t last = p.size() - 2;
    while (last > first && !accepted(p[last]))
        last -= 2;
    out.low = static_cast<double>(breakpoints[first / 2]);
    out.high = static_cast<double>(breakpoints[last / 2]);
    return out;
}

Inversion invert_by_bisection(std::int64_t low, std::int64_t centre, std::int64_t high, const PValueAt& p_at) {
    const auto edge = [&](std::int64_t outside, std::int64_t inside) {
        while (std::max(outside, inside) - std::min(outside, inside) > 1) {
            const std::int64_t middle = outside + (inside - outside) / 2;
            (accepted(p_at(middle)) ? inside : outside) = middle;
        }
        return inside;
    };
    Inversion out;
    std::int64_t from = edge(low, centre);
    std::int64_t to = edge(high, centre);
    out.p_value = p_at(0);
    if (accepted(out.p_value)) {
        from = std::min<std::int64_t>(from, 0);
        to = std::max<std::int64_t>(to, 0);
    } else if (from <= 0 && to >= 0) {
        // Ties made p at 0 smaller than beside it: the side of the centre is left.
        (centre >= 0 ? from : to) = centre >= 0 ? 1 : -1;
    }
    out.low = static_cast<double>(from);
    out.high = static_cast<double>(to);
    return out;
}

} // namespace snapscope
