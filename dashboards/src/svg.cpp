#include "svg.hpp"

#include <cmath>

namespace snapscope {

std::vector<double> ticks(double low, double high, int count) {
    std::vector<double> out;
    if (!(high > low) || !std::isfinite(high - low) || count < 1)
        return out;
    const double raw = (high - low) / count;
    const double power = std::pow(10, std::floor(std::log10(raw)));
    const double step = raw / power <= 1   ? power
                        : raw / power <= 2 ? 2 * power
                        : raw / power <= 5 ? 5 * power
                                           : 10 * power;
    // Counted, not added up: the last tick lies where it should.
    const double first = std::ceil(low / step - 1e-9);
    for (int i = 0; (first + i) * step <= high + step * 1e-9; ++i)
        out.push_back((first + i) * step);
    return out;
}

} // namespace snapscope
