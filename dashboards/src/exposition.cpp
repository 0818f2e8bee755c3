#include "metric_families.hpp"

#include <snapscope/dashboards/exposition.hpp>
#include <snapscope/recording/gauges.hpp>
#include <snapscope/recording/run_folder.hpp>
#include <snapscope/recording/wall_clock.hpp>

#include <algorithm>

namespace snapscope {
namespace {

using Format = Families::Format;

MetricName gauge(std::string family, std::string help) {
    return {std::move(family), std::move(help), MetricType::gauge, {}, 1};
}

MetricName counter(std::string family, std::string help) {
    return {std::move(family), std::move(help), MetricType::counter, {}, 1};
}

void add_source(Families& families, const std::string& server, const SourceStatus& source,
                std::optional<double> time_s) {
    const Labels labels{{"server", server}, {"source", source.name}, {"kind", to_string(source.kind)}};
    for (const SourceState state : {SourceState::active, SourceState::degraded, SourceState::unavailable}) {
        Labels with_state = labels;
        with_state.emplace_back("state", to_string(state));
        families.add(gauge("snapscope_source_state", "1 for the state that a source of evidence is in"), with_state,
                     source.state == state ? 1 : 0, time_s);
    }
    if (source.state != SourceState::unavailable)
        families.add(counter("snapscope_source_lost", "records that a source lost, all ways together"), labels,
                     static_cast<double>(source.lost), time_s);
}

void add_server(Families& families, const ExposedServer& exposed) {
    families.add(gauge("snapscope_server_up", "whether the server is being watched"), {{"server", exposed.name}},
                 exposed.totals ? 1 : 0);
    if (!exposed.totals)
        return;
    const Run& run = *exposed.totals;
    families.add(
        gauge("snapscope_server_info", "what is watched; always 1"),
        {{"server", exposed.name}, {"version", run.server.version}, {"snapshot_cache", run.server.snapshot_cache}}, 1);
    if (run.server.max_connections)
        families.add(gauge("snapscope_server_max_connections", "the server's setting"), {{"server", exposed.name}},
                     *run.server.max_connections);
    for (const Total& total : run.totals)
        if (total.value)
            families.add(metric_name(total.name, total.unit), labels_of(exposed.name, run.sources, total.source),
                         static_cast<double>(*total.value));
    for (const Series& series : run.windows.series)
        if (is_gauge(series.name) && !series.values.empty() && series.values.back())
            families.add(metric_name(series.name, series.unit), labels_of(exposed.name, run.sources, series.source),
                         *series.values.back());
    for (const Histogram& histogram : run.histograms)
        families.add_histogram(histogram, labels_of(exposed.name, run.sources, histogram.source));
    for (const SourceStatus& source : run.sources)
        add_source(families, exposed.name, source, {});
}

void add_self(Families& families, const ExposedSelf& self) {
    families.add(gauge("snapscope_live_clients", "readers of the live page"), {}, static_cast<double>(self.clients));
    families.add(counter("snapscope_live_missed_windows", "windows that slow readers were not sent"), {},
                 static_cast<double>(self.missed_windows));
    families.add(gauge("process_resident_memory_bytes", "memory that this program holds"), {},
                 static_cast<double>(self.resident_bytes));
    families.add(counter("process_cpu_seconds", "CPU time that this program used"), {}, self.cpu_seconds);
}

// A counter starts at nothing when the run starts: what its first window added counts, too.
void add_counter(Families& families, const MetricName& name, const Labels& labels, const Series& series,
                 const std::vector<double>& times, double start_s) {
    double sum = 0;
    families.add(name, labels, 0, start_s);
    for (std::size_t i = 0; i < series.values.size(); ++i) {
        if (!series.values[i])
            continue;
        sum += *series.values[i];
        families.add(name, labels, sum, times[i]);
    }
}

} // namespace

std::string prometheus_text(const std::vector<ExposedServer>& servers, const ExposedSelf& self) {
    Families families(Format::prometheus);
    for (const ExposedServer& server : servers)
        add_server(families, server);
    add_self(families, self);
    return families.text();
}

Result<std::string> openmetrics_text(const Run& run) {
    const auto start_ns = parse_wall_time(run.clock.wall_start);
    if (!start_ns)
        return fail("the run does not say when it began: " + run.clock.wall_start);
    const auto wall_s = [&](std::int64_t ns) {
        return static_cast<double>(*start_ns + (ns - run.clock.start_ns)) / 1e9;
    };
    std::vector<double> times;
    for (const std::int64_t ns : run.windows.end_ns)
        times.push_back(wall_s(ns));
    const double start_s = wall_s(run.clock.start_ns);
    const double end_s = wall_s(run.clock.end_ns);
    const std::string server = run.server.pgdata.value_or("pid " + std::to_string(run.server.pid));
    Families families(Format::openmetrics);
    for (const Series& series : run.windows.series) {
        const auto known = [](const auto& value) { return value.has_value(); };
        if (std::none_of(series.values.begin(), series.values.end(), known))
            continue;
        const MetricName name = metric_name(series.name, series.unit);
        const Labels labels = labels_of(server, run.sources, series.source);
        if (name.type == MetricType::counter) {
            add_counter(families, name, labels, series, times, start_s);
            continue;
        }
        for (std::size_t i = 0; i < series.values.size(); ++i)
            if (series.values[i])
                families.add(name, labels, *series.values[i], times[i]);
    }
    for (const Histogram& histogram : run.histograms) {
        Histogram nothing = histogram;
        std::fill(nothing.counts.begin(), nothing.counts.end(), 0);
        families.add_histogram(nothing, labels_of(server, run.sources, histogram.source), start_s);
        families.add_histogram(histogram, labels_of(server, run.sources, histogram.source), end_s);
    }
    for (const SourceStatus& source : run.sources)
        add_source(families, server, source, end_s);
    return families.text() + "# EOF\n";
}

} // namespace snapscope
