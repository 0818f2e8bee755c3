// What the figures of an analysis come to, in plain words.
#include "analysis_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope {
namespace {

constexpr std::size_t most_curves = 6; // with a sentence of their own
constexpr std::size_t most_metrics = 3;
constexpr double least_fall_percent = -2; // from the peak, that is worth a word

std::string regions_text(const Shape& shape) {
    std::string out;
    for (const char* level : {"high", "low", "middle"}) {
        std::vector<std::string> spans;
        for (const Region& region : shape.regions)
            if (region.level == level)
                spans.push_back(span_text(region));
        if (!spans.empty())
            out += fmt::format("{}{} {} region{} ({})", out.empty() ? "" : ", ", spans.size(), level,
                               spans.size() == 1 ? "" : "s", fmt::join(spans, ", "));
    }
    return out;
}

std::string swing_text(const Shape& shape) {
    return fmt::format("it swings {:.2f}x, from {} at {} to {} at {}", shape.swing, plain(shape.lowest_tps),
                       plain(shape.lowest_x), plain(shape.highest_tps), plain(shape.highest_x));
}

std::string peak_text(const Shape& shape) {
    std::string out = fmt::format("its highest is {} at {}", plain(shape.highest_tps), plain(shape.highest_x));
    if (shape.peak_at_end)
        out += ", the largest value measured, so it may rise further";
    else if (shape.fall_from_peak_percent < least_fall_percent)
        out += fmt::format(", {:.1f} % lower at the largest value", -shape.fall_from_peak_percent);
    return out;
}

std::string line_text(const Shape& shape) {
    return shape.line_describes ? fmt::format("a straight line describes it (R2 {:.2f})", shape.line_r2)
                                : fmt::format("no straight line describes it (R2 {:.2f})", shape.line_r2);
}

// One curve, as a sentence without its subject's group.
std::string shape_words(const std::string& x, const CurveAnalysis& one) {
    const Shape& shape = one.shape;
    switch (shape.form) {
    case Form::too_few_points:
        return fmt::format("tps is known at fewer than three values of {}: no shape can be told", x);
    case Form::flat:
        return fmt::format("tps does not depend on {} beyond noise (swing {:.2f}x)", x, shape.swing);
    case Form::rising:
        return fmt::format("tps rises with {}: {}; {}", x, peak_text(shape), line_text(shape));
    case Form::falling:
        return fmt::format("tps falls with {}: {}; {}", x, swing_text(shape), line_text(shape));
    case Form::peaked:
        return fmt::format("tps is not monotonic in {}: it rises to a peak and falls; {}", x, peak_text(shape));
    case Form::regions:
        break;
    }
    std::string out = fmt::format("tps is not monotonic in {}: ", x);
    if (shape.regions.size() > 1)
        out += regions_text(shape) + "; ";
    out += swing_text(shape);
    if (shape.regions.size() == 1)
        out += "; no regions are shown";
    return out + "; " + line_text(shape);
}

std::string variance_words(const CurveAnalysis& one, const std::string& x) {
    if (!one.variance || one.shape.form == Form::too_few_points)
        return "";
    const VarianceComponents& v = *one.variance;
    const double restart = 100 * std::expm1(v.restart_sd);
    if (v.p_value > 0.05)
        return fmt::format(
            "restarts alone vary by {:.1f} % (standard deviation), and {} adds nothing that is shown (p = {:.2f})",
            restart, x, v.p_value);
    return fmt::format(
        "between values of {} tps varies by {:.1f} % (standard deviation), between restarts at one value by "
        "{:.1f} % (F = {:.1f}, p = {:.4f})",
        x, 100 * std::expm1(v.between_sd), restart, v.f, v.p_value);
}

std::string curve_sentence(const Analysis& analysis, const CurveAnalysis& one) {
    std::string out = shape_words(analysis.x, one);
    if (const std::string variance = variance_words(one, analysis.x); !variance.empty())
        out += "; " + variance;
    if (analysis.curves.size() > 1)
        return one.curve.name() + ": " + out + ".";
    return out + ".";
}

std::string percent_list(const CurveComparison& comparison) {
    std::string out;
    for (const ComparedPoint& point : comparison.points)
        out += fmt::format("{}{:+.2f} % at {}", out.empty() ? "" : ", ", 100 * (point.other / point.base - 1),
                           plain(point.x));
    return out;
}

std::string comparison_sentence(const Analysis& analysis, const CurveComparison& one) {
    std::string out = fmt::format("{} {} against {}{}: {}", one.key, one.other, one.base,
                                  one.group.empty() ? "" : " (" + one.group + ")", percent_list(one));
    for (const Interval& crossover : one.crossovers)
        out += fmt::format("; the two cross between {} and {} {}", plain(crossover.low), plain(crossover.high),
                           analysis.x);
    const bool tested = std::any_of(one.points.begin(), one.points.end(),
                                    [](const ComparedPoint& p) { return p.change.p_value.has_value(); });
    if (!tested)
        out += "; without repeats none of these is proven";
    if (one.key == "reconnect")
        out += "; with and without -C tps are different quantities, the change is what connecting costs";
    return out + ".";
}

std::string trend_text(const MetricTrend& trend) {
    const Comparison& c = trend.change;
    if (c.verdict == Verdict::no_difference_shown) {
        const std::string between = c.interval_percent ? fmt::format(" (95 % interval {:+.1f} to {:+.1f} %)",
                                                                     c.interval_percent->low, c.interval_percent->high)
                                                       : "";
        return fmt::format("{} is not shown to change from {} to {}{}", trend.metric, plain(trend.from_x),
                           plain(trend.to_x), between);
    }
    if (!c.change_percent || !c.interval_percent)
        return fmt::format("{} is {} at {} than at {}", trend.metric, to_string(c.verdict), plain(trend.to_x),
                           plain(trend.from_x));
    return fmt::format("{} is {} by {:+.1f} % ({:+.1f} to {:+.1f}) at {} than at {}", trend.metric,
                       to_string(c.verdict), *c.change_percent, c.interval_percent->low, c.interval_percent->high,
                       plain(trend.to_x), plain(trend.from_x));
}

// The metrics that matter most here, where repeats allow a test.
std::string trend_sentences(const Analysis& analysis) {
    std::string out;
    for (const char* name : {"snapshot_ns", "server_cpu_us_per_xact"})
        for (const MetricTrend& trend : analysis.trends)
            if (trend.metric == name && trend.change.p_value)
                out += fmt::format(" {}{}.", trend.group.empty() ? "" : trend.group + ": ", trend_text(trend));
    return out;
}

std::string cause_sentence(const Analysis& analysis) {
    std::vector<std::string> shown;
    for (const Association& one : analysis.associations) {
        if (!one.shown() || shown.size() == most_metrics)
            continue;
        std::string text = fmt::format("{}{} (rho {:+.2f}, corrected p = {:.4f}", one.metric,
                                       one.per_transaction ? " per transaction" : "", one.correlation.rho, one.p_holm);
        text += one.partial_rho ? fmt::format("; {:+.2f} with {} held fixed)", *one.partial_rho, analysis.x) : ")";
        shown.push_back(one.group.empty() ? text : one.group + ": " + text);
    }
    if (!shown.empty())
        return fmt::format("tps goes with {}; that is an association, the cause is not shown by it.",
                           fmt::join(shown, "; "));
    const bool removed = std::any_of(analysis.natural.begin(), analysis.natural.end(),
                                     [](const NaturalExperiment& one) { return one.cache_removes_swing; });
    if (removed)
        return "";
    if (analysis.associations.empty())
        return fmt::format("The cause is not shown: nothing beside tps was measured at enough values of {} to be "
                           "correlated with it.",
                           analysis.x);
    return fmt::format("The cause is not shown: none of {} metrics is shown to go with tps after correction (Holm).",
                       analysis.associations.size());
}

// A processor that is mostly idle waits; it does not move lines.
std::string waiting_sentence(const Analysis& analysis) {
    for (const CurveAnalysis& one : analysis.curves) {
        std::vector<double> busy;
        for (const CurvePoint& point : one.curve.points)
            for (const char* name : {"cpu_util_pct", "cpu_percent", "cpu_busy_percent"})
                if (const auto at = point.metrics.find(name); at != point.metrics.end())
                    busy.push_back(at->second);
        if (const auto middle = median(busy); middle && *middle < 50)
            return fmt::format(" The processors were {:.0f} % busy: most of the time is waiting, not transfers.",
                               *middle);
    }
    return "";
}

} // namespace

std::string plain(double value) {
    if (value == std::floor(value) && std::fabs(value) < 1e15)
        return fmt::format("{:.0f}", value);
    return fmt::format("{:.6g}", value);
}

std::string span_text(const Region& region) {
    return region.from == region.to ? plain(region.from) : plain(region.from) + "-" + plain(region.to);
}

std::string finding_of(const Analysis& analysis) {
    std::string out;
    for (std::size_t i = 0; i < std::min(most_curves, analysis.curves.size()); ++i)
        out += (out.empty() ? "" : " ") + curve_sentence(analysis, analysis.curves[i]);
    if (analysis.curves.size() > most_curves)
        out += fmt::format(" ({} more curves below.)", analysis.curves.size() - most_curves);
    for (std::size_t i = 0; i < std::min(most_curves, analysis.comparisons.size()); ++i)
        out += " " + comparison_sentence(analysis, analysis.comparisons[i]);
    for (const NaturalExperiment& one : analysis.natural)
        out += " At the same values: " + one.words + ".";
    out += trend_sentences(analysis);
    if (const std::string cause = cause_sentence(analysis); !cause.empty())
        out += " " + cause;
    return out + waiting_sentence(analysis);
}

} // namespace snapscope
