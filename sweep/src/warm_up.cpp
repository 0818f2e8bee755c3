#include <snapscope/sweep/warm_up.hpp>

namespace snapscope {
namespace {

constexpr std::size_t fewest = 8;

} // namespace

std::optional<WarmUp> find_warm_up(const std::vector<double>& series) {
    const std::size_t n = series.size();
    if (n < fewest)
        return std::nullopt;
    // From the end, so that mean and sum of squares of each tail come from the
    // one before it (Welford).
    WarmUp best;
    double mean = 0;
    double squares = 0;
    double smallest = 0;
    bool found = false;
    for (std::size_t kept = 1; kept <= n; ++kept) {
        const double value = series[n - kept];
        const double off = value - mean;
        mean += off / static_cast<double>(kept);
        squares += off * (value - mean);
        const std::size_t cut = n - kept;
        if (cut > n / 2)
            continue;
        const double error = squares / (static_cast<double>(kept) * static_cast<double>(kept));
        if (!found || error <= smallest) { // of equal cuts the earliest
            found = true;
            smallest = error;
            best = {cut, mean, cut < n / 2};
        }
    }
    return best;
}

} // namespace snapscope
