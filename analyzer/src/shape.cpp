#include <snapscope/analyzer/changepoints.hpp>
#include <snapscope/analyzer/shape.hpp>

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numbers>

namespace snapscope {
namespace {

constexpr double least_noise = 1e-4;  // of a log: no load repeats better
constexpr double least_line_r2 = 0.8; // below that a line is no description, whatever the noise
constexpr double significance = 0.05;

struct Level {
    double x, tps, log_tps, mean_tps;
    std::size_t n;
};

std::vector<Level> levels_of(const Curve& curve) {
    std::vector<Level> out;
    for (const CurvePoint* point : curve.measured()) {
        const double tps = *point->level();
        out.push_back({point->x, tps, std::log(tps), *mean(point->tps), point->tps.size()});
    }
    return out;
}

// Pooled over the points that have repeats.
void estimate_noise(const Curve& curve, Shape& shape) {
    double squares = 0;
    std::size_t df = 0;
    for (const CurvePoint* point : curve.measured()) {
        double sum = 0;
        for (const double tps : point->tps)
            sum += std::log(tps);
        for (const double tps : point->tps)
            squares += std::pow(std::log(tps) - sum / static_cast<double>(point->tps.size()), 2);
        df += point->tps.size() - 1;
    }
    shape.noise_df = df;
    if (df > 0)
        shape.noise = std::sqrt(squares / static_cast<double>(df));
}

// By how much two levels must differ to count: Student's t at the level shared
// out over all pairs (Bonferroni).
class Tolerance {
  public:
    Tolerance(const Shape& shape, std::size_t points) {
        if (!shape.noise)
            return;
        const double pairs = std::max(1.0, static_cast<double>(points * (points - 1)) / 2);
        const boost::math::students_t t(static_cast<double>(shape.noise_df));
        factor_ = boost::math::quantile(boost::math::complement(t, significance / 2 / pairs)) *
                  std::max(*shape.noise, least_noise);
    }
    [[nodiscard]] double between(const Level& a, const Level& b) const {
        if (!factor_)
            return std::log1p(assumed_noise);
        return *factor_ * std::sqrt(variance(a.n) + variance(b.n));
    }

  private:
    // Of a median of n normal values, in units of one value's (asymptotically pi / 2 of a mean's).
    static double variance(std::size_t n) { return (n > 2 ? std::numbers::pi / 2 : 1.0) / static_cast<double>(n); }
    std::optional<double> factor_;
};

// No later level lies below (sign 1) or above (sign -1) an earlier one.
bool moves_one_way(const std::vector<Level>& levels, std::size_t from, std::size_t to, double sign,
                   const Tolerance& tolerance) {
    for (std::size_t i = from; i < to; ++i)
        for (std::size_t j = i + 1; j < to; ++j)
            if (sign * (levels[i].log_tps - levels[j].log_tps) > tolerance.between(levels[i], levels[j]))
                return false;
    return true;
}

Form form_of(const std::vector<Level>& levels, std::size_t peak, const Tolerance& tolerance) {
    if (levels.size() < 3)
        return Form::too_few_points;
    const bool up = moves_one_way(levels, 0, levels.size(), 1, tolerance);
    const bool down = moves_one_way(levels, 0, levels.size(), -1, tolerance);
    if (up && down)
        return Form::flat;
    if (up || down)
        return up ? Form::rising : Form::falling;
    const bool peaked =
        moves_one_way(levels, 0, peak + 1, 1, tolerance) && moves_one_way(levels, peak, levels.size(), -1, tolerance);
    return peaked ? Form::peaked : Form::regions;
}

void find_regions(const std::vector<Level>& levels, Shape& shape) {
    std::vector<double> logs;
    for (const Level& level : levels)
        logs.push_back(level.log_tps);
    const Segmentation found = segment(logs, std::max(least_noise, shape.noise.value_or(0) / 2));
    shape.regions_p_value = found.p_value;
    std::size_t from = 0;
    for (const std::size_t end : found.ends) {
        std::vector<double> tps;
        for (std::size_t i = from; i < end; ++i)
            tps.push_back(levels[i].tps);
        shape.regions.push_back({levels[from].x, levels[end - 1].x, "middle", *median(tps), end - from});
        from = end;
    }
    const auto [low, high] =
        std::minmax_element(shape.regions.begin(), shape.regions.end(),
                            [](const auto& a, const auto& b) { return a.median_tps < b.median_tps; });
    const double bottom = std::log(low->median_tps);
    const double range = std::log(high->median_tps) - bottom;
    for (Region& region : shape.regions) {
        const double at = range > 0 ? (std::log(region.median_tps) - bottom) / range : 0.5;
        region.level = at >= 2.0 / 3 ? "high" : at <= 1.0 / 3 ? "low" : "middle";
    }
}

struct Line {
    double r2 = 0, residual = 0, total = 0; // sums of squares
};

// Of the means, whose error is known.
Line fit_line(const std::vector<Level>& levels) {
    double x_mean = 0;
    double y_mean = 0;
    for (const Level& level : levels) {
        x_mean += level.x / static_cast<double>(levels.size());
        y_mean += level.mean_tps / static_cast<double>(levels.size());
    }
    double xx = 0;
    double xy = 0;
    Line out;
    for (const Level& level : levels) {
        xx += std::pow(level.x - x_mean, 2);
        xy += (level.x - x_mean) * (level.mean_tps - y_mean);
        out.total += std::pow(level.mean_tps - y_mean, 2);
    }
    out.residual = std::max(0.0, out.total - (xx > 0 ? xy * xy / xx : 0));
    out.r2 = out.total > 0 ? 1 - out.residual / out.total : 0;
    return out;
}

// Sum of squares of repeats around their own mean, in tps.
double pure_error(const Curve& curve) {
    double out = 0;
    for (const CurvePoint* point : curve.measured())
        for (const double tps : point->tps)
            out += std::pow(tps - *mean(point->tps), 2);
    return out;
}

// Whether the line leaves more than noise.
bool lacks_fit(const Curve& curve, const std::vector<Level>& levels, const Line& line, std::size_t noise_df) {
    const double pure = pure_error(curve) / static_cast<double>(noise_df);
    double repeats = 0; // harmonic mean: levels are means of so many
    for (const Level& level : levels)
        repeats += 1 / static_cast<double>(level.n);
    repeats = static_cast<double>(levels.size()) / repeats;
    const double df = static_cast<double>(levels.size()) - 2;
    if (pure <= 0)
        return line.residual > 0;
    const boost::math::fisher_f f(df, static_cast<double>(noise_df));
    return boost::math::cdf(boost::math::complement(f, repeats * line.residual / df / pure)) <= significance;
}

void judge_line(const Curve& curve, const std::vector<Level>& levels, Shape& shape) {
    const Line line = fit_line(levels);
    shape.line_r2 = line.r2;
    if (levels.size() < 4 || !shape.monotonic || line.r2 < least_line_r2)
        return;
    if (shape.noise_df > 0) {
        shape.line_describes = !lacks_fit(curve, levels, line, shape.noise_df);
        return;
    }
    double steps = 0;
    for (const Region& region : shape.regions)
        for (const Level& level : levels)
            if (level.x >= region.from && level.x <= region.to)
                steps += std::pow(level.tps - region.median_tps, 2);
    const auto n = static_cast<double>(levels.size());
    const auto bic = [n](double residual, double parameters) {
        return n * std::log(std::max(residual, 1e-300) / n) + parameters * std::log(n);
    };
    shape.line_describes = bic(line.residual, 2) <= bic(steps, 2 * static_cast<double>(shape.regions.size()) - 1);
}

} // namespace

const char* to_string(Form form) {
    switch (form) {
    case Form::flat:
        return "flat";
    case Form::rising:
        return "rising";
    case Form::falling:
        return "falling";
    case Form::peaked:
        return "peaked";
    case Form::regions:
        return "regions";
    case Form::too_few_points:
        break;
    }
    return "too few points";
}

Shape shape_of(const Curve& curve) {
    Shape out;
    const std::vector<Level> levels = levels_of(curve);
    if (levels.empty())
        return out;
    estimate_noise(curve, out);
    const auto by_tps = [](const Level& a, const Level& b) { return a.tps < b.tps; };
    const auto low = std::min_element(levels.begin(), levels.end(), by_tps);
    const auto high = std::max_element(levels.begin(), levels.end(), by_tps);
    out.lowest_x = low->x;
    out.lowest_tps = low->tps;
    out.highest_x = high->x;
    out.highest_tps = high->tps;
    out.swing = high->tps / low->tps;
    out.peak_at_end = high == levels.end() - 1;
    out.fall_from_peak_percent = 100 * (levels.back().tps / high->tps - 1);
    out.form = form_of(levels, static_cast<std::size_t>(high - levels.begin()), Tolerance(out, levels.size()));
    out.monotonic = out.form == Form::rising || out.form == Form::falling || out.form == Form::flat;
    find_regions(levels, out);
    judge_line(curve, levels, out);
    return out;
}

} // namespace snapscope
