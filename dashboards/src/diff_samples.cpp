#include "diff_samples.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace snapscope {
namespace {

// Values of one side, and where each round's value stands.
struct Side {
    std::vector<SampleValue> values;
    std::map<std::uint32_t, std::size_t> by_round;
};

Side side_of(const std::vector<Measurement>& measurements, const std::string& metric, Samples& samples,
             const std::map<std::string, EvidenceKind>& kinds) {
    Side out;
    for (const Measurement& measurement : measurements) {
        const auto found = measurement.values.find(metric);
        if (found == measurement.values.end())
            continue;
        if (measurement.pairing)
            out.by_round[measurement.pairing->round] = out.values.size();
        out.values.push_back({measurement.label, found->second.value});
        const std::string& source = found->second.source;
        const auto same = [&](const Evidence& e) { return e.source == source; };
        if (std::none_of(samples.evidence.begin(), samples.evidence.end(), same)) {
            const auto kind = kinds.find(source);
            samples.evidence.push_back({source, kind == kinds.end() ? std::nullopt : std::optional(kind->second)});
        }
    }
    return out;
}

} // namespace

Samples samples_of(const DiffReport& report, const MetricDiff& metric) {
    Samples out;
    Side base = side_of(of_workload(report.base, metric.workload, report.base), metric.name, out, report.kinds);
    Side other = side_of(of_workload(report.other, metric.workload, report.base), metric.name, out, report.kinds);
    if (report.diff.paired)
        for (const auto& [round, at] : base.by_round)
            if (const auto match = other.by_round.find(round); match != other.by_round.end())
                out.pairs.emplace_back(at, match->second);
    out.base = std::move(base.values);
    out.other = std::move(other.values);
    return out;
}

} // namespace snapscope
