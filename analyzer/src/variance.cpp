#include <snapscope/analyzer/variance.hpp>

#include <algorithm>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/fisher_f.hpp>
#include <cmath>

namespace snapscope {
namespace {

constexpr double tail = 0.025;

struct Sums {
    double within = 0;          // squares of runs around their point's mean
    double within_df = 0;       // runs - points
    std::vector<double> means;  // of log tps by point
    double inverse_repeats = 0; // sum of 1 / repeats
};

Sums sums_of(const Curve& curve) {
    Sums out;
    for (const CurvePoint* point : curve.measured()) {
        double sum = 0;
        for (const double tps : point->tps)
            sum += std::log(tps);
        const auto n = static_cast<double>(point->tps.size());
        out.means.push_back(sum / n);
        for (const double tps : point->tps)
            out.within += std::pow(std::log(tps) - sum / n, 2);
        out.within_df += n - 1;
        out.inverse_repeats += 1 / n;
    }
    return out;
}

} // namespace

std::optional<VarianceComponents> variance_components(const Curve& curve) {
    const Sums sums = sums_of(curve);
    const auto points = static_cast<double>(sums.means.size());
    if (sums.means.size() < 2 || sums.within_df < 1 || sums.within <= 0)
        return std::nullopt;
    const double repeats = points / sums.inverse_repeats; // harmonic mean
    const double restart = sums.within / sums.within_df;  // mean square within
    double spread = 0;
    for (const double mean_log : sums.means)
        spread += std::pow(mean_log - *mean(sums.means), 2);
    const double between = repeats * spread / (points - 1); // mean square between, unweighted

    VarianceComponents out;
    out.points = sums.means.size();
    out.runs = static_cast<std::size_t>(sums.within_df) + out.points;
    out.restart_sd = std::sqrt(restart);
    const boost::math::chi_squared chi(sums.within_df);
    out.restart_sd95 = {std::sqrt(sums.within / boost::math::quantile(boost::math::complement(chi, tail))),
                        std::sqrt(sums.within / boost::math::quantile(chi, tail))};
    out.between_sd = std::sqrt(std::max(0.0, (between - restart) / repeats));
    const boost::math::fisher_f f(points - 1, sums.within_df);
    out.f = between / restart;
    out.p_value = boost::math::cdf(boost::math::complement(f, out.f));
    const auto ratio = [&](double quantile) { return std::max(0.0, (out.f / quantile - 1) / repeats); };
    out.between_ratio95 = {ratio(boost::math::quantile(boost::math::complement(f, tail))),
                           ratio(boost::math::quantile(f, tail))};
    return out;
}

} // namespace snapscope
