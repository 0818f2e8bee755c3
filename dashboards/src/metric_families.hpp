// Families of metrics as Prometheus names and writes them.  Used by both forms
// of the exposition.
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

enum class MetricType { counter, gauge, histogram };

using Labels = std::vector<std::pair<std::string, std::string>>;

// Which family a series of a run belongs to.
struct MetricName {
    std::string family; // without _total
    std::string help;
    MetricType type = MetricType::counter;
    Labels labels;    // what of the series' name became a label
    double scale = 1; // to the base unit
};
[[nodiscard]] MetricName metric_name(const std::string& series, const std::string& unit);

// Samples by family, each written in one piece as both formats want it.
class Families {
  public:
    enum class Format { prometheus, openmetrics };
    explicit Families(Format format) : format_(format) {}

    // `time_s`: seconds since 1970; none: now.
    void add(const MetricName& name, Labels labels, double value, std::optional<double> time_s = {});
    // The counts below powers of two of ns, so that the buckets are the same at all times.
    void add_histogram(const Histogram& histogram, Labels labels, std::optional<double> time_s = {});
    [[nodiscard]] std::string text() const;

  private:
    struct Family {
        MetricType type = MetricType::counter;
        std::string help;
        std::string samples;
    };
    Family& family(const std::string& name, MetricType type, const std::string& help);
    void write(Family& family, const std::string& name, const Labels& labels, double value,
               std::optional<double> time_s);

    Format format_;
    std::map<std::string, Family> families_;
};

// {server, source, kind} of what a source says.
[[nodiscard]] Labels labels_of(const std::string& server, const std::vector<SourceStatus>& sources,
                               const std::string& source);

} // namespace snapscope
