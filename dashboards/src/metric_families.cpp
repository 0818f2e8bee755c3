#include "metric_families.hpp"

#include "evidence.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/recording/gauges.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr int first_bucket = 6; // 64 ns
constexpr int last_bucket = 34; // 17 s

std::string with_spaces(std::string text) {
    std::ranges::replace(text, '_', ' ');
    return text;
}

void replace_once(std::string& text, std::string_view what, std::string_view by) {
    if (const auto at = text.find(what); at != std::string::npos)
        text.replace(at, what.size(), by);
}

// "invalidations_xact_end" -> family invalidations, reason xact_end
bool split_off(std::string& name, Labels& labels, std::string_view prefix, const char* label) {
    if (!name.starts_with(prefix))
        return false;
    labels.emplace_back(label, name.substr(prefix.size()));
    name = prefix.substr(0, prefix.size() - 1);
    return true;
}

void take_labels(std::string& name, Labels& labels) {
    if (split_off(name, labels, "invalidations_", "reason"))
        return;
    constexpr std::array<std::string_view, 3> outcomes{"snapshots_reused", "snapshots_rebuilt",
                                                       "snapshots_private_scans"};
    if (std::ranges::find(outcomes, name) != outcomes.end())
        split_off(name, labels, "snapshots_", "outcome");
}

// To base units, named by the end of the family.
void take_unit(MetricName& out, std::string& name, const std::string& unit) {
    const auto end_in = [&name](const std::string& suffix) {
        if (!name.ends_with(suffix))
            name += suffix;
    };
    if (unit == "ns") {
        replace_once(name, "_ns", "");
        end_in("_seconds");
        out.scale = 1e-9;
    } else if (unit == "bytes") {
        end_in("_bytes");
    } else if (unit == "%") {
        end_in("_ratio");
        out.scale = 0.01;
    } else if (unit == "xids" || unit == "joules") {
        end_in("_" + unit);
    } else if (name.ends_with("_share")) {
        end_in("_ratio");
    }
}

std::string escaped(std::string_view text) {
    std::string out;
    for (const char c : to_utf8(text)) {
        if (c == '\\' || c == '"')
            out += '\\';
        if (c == '\n')
            out += "\\n";
        else
            out += c;
    }
    return out;
}

std::string number_text(double value) {
    if (std::isnan(value))
        return "NaN";
    if (std::isinf(value))
        return value > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", value);
}

const char* type_word(MetricType type) {
    switch (type) {
    case MetricType::counter:
        return "counter";
    case MetricType::gauge:
        return "gauge";
    case MetricType::histogram:
        return "histogram";
    }
    return "";
}

std::uint64_t count_below(const Histogram& histogram, double bound) {
    std::uint64_t out = 0;
    for (std::size_t i = 0; i < histogram.counts.size() && histogram.bounds[i + 1] <= bound; ++i)
        out += histogram.counts[i];
    return out;
}

} // namespace

MetricName metric_name(const std::string& series, const std::string& unit) {
    MetricName out;
    std::string name = series;
    // What pcm states of an interval is no sum either.
    const bool stated = unit == "ratio" || series.starts_with("llc_read_miss_ns");
    out.type = is_gauge(series) || stated ? MetricType::gauge : MetricType::counter;
    take_labels(name, out.labels);
    out.help = with_spaces(name) + (unit == "1" || unit == "ns" ? "" : ", unit " + unit);
    take_unit(out, name, unit);
    out.family = "snapscope_" + name;
    return out;
}

Labels labels_of(const std::string& server, const std::vector<SourceStatus>& sources, const std::string& source) {
    return {{"server", server}, {"source", source}, {"kind", kind_word(evidence_of(sources, source).kind)}};
}

Families::Family& Families::family(const std::string& name, MetricType type, const std::string& help) {
    return families_.try_emplace(name, Family{type, help, ""}).first->second;
}

void Families::write(Family& family, const std::string& name, const Labels& labels, double value,
                     std::optional<double> time_s) {
    family.samples += name;
    const char* before = "{";
    for (const auto& [label, text] : labels) {
        family.samples += fmt::format("{}{}=\"{}\"", before, label, escaped(text));
        before = ",";
    }
    family.samples += (labels.empty() ? " " : "} ") + number_text(value);
    if (time_s)
        family.samples += fmt::format(" {:.3f}", *time_s);
    family.samples += '\n';
}

void Families::add(const MetricName& name, Labels labels, double value, std::optional<double> time_s) {
    const bool counter = name.type == MetricType::counter;
    const std::string sample = name.family + (counter ? "_total" : "");
    labels.insert(labels.end(), name.labels.begin(), name.labels.end());
    // A family of OpenMetrics has no _total, one of the older format has.
    const std::string& named = format_ == Format::openmetrics ? name.family : sample;
    write(family(named, name.type, name.help), sample, labels, value * name.scale, time_s);
}

void Families::add_histogram(const Histogram& histogram, Labels labels, std::optional<double> time_s) {
    MetricName name = metric_name(histogram.name, histogram.unit);
    Family& to = family(name.family, MetricType::histogram, name.help);
    labels.emplace_back("outcome", histogram.label);
    Labels bucket = labels;
    bucket.emplace_back("le", "");
    for (int power = first_bucket; power <= last_bucket; ++power) {
        const double bound = std::ldexp(1.0, power);
        bucket.back().second = number_text(bound * name.scale);
        write(to, name.family + "_bucket", bucket, static_cast<double>(count_below(histogram, bound)), time_s);
    }
    const auto all = static_cast<double>(count_below(histogram, HUGE_VAL));
    bucket.back().second = "+Inf";
    write(to, name.family + "_bucket", bucket, all, time_s);
    write(to, name.family + "_count", labels, all, time_s);
}

std::string Families::text() const {
    std::string out;
    for (const auto& [name, family] : families_)
        out += fmt::format("# HELP {} {}\n# TYPE {} {}\n{}", name, escaped(family.help), name, type_word(family.type),
                           family.samples);
    return out;
}

} // namespace snapscope
