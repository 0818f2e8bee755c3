#include "run_parts.hpp"

#include <snapscope/collector/source.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace snapscope {
namespace {

template <class T> void add(std::optional<T>& sum, const std::optional<T>& more) {
    if (more)
        sum = sum.value_or(0) + *more;
}

template <class T> void raise(std::optional<T>& most, const std::optional<T>& other) {
    if (other)
        most = std::max(most.value_or(*other), *other);
}

template <class T> void renew(std::optional<T>& last, const std::optional<T>& later) {
    if (later)
        last = later;
}

void append_once(std::string& text, const std::string& more) {
    if (more.empty() || text.find(more) != std::string::npos)
        return;
    text += (text.empty() ? "" : "; ") + more;
}

// The row of ROWS that SAME accepts; added from MORE where there is none.
template <class T, class Same, class Merge>
void merge_row(std::vector<T>& rows, const T& more, const Same& same, const Merge& merge) {
    const auto found = std::ranges::find_if(rows, same);
    if (found == rows.end())
        rows.push_back(more);
    else
        merge(*found);
}

void merge(std::vector<Total>& totals, const Total& more) {
    const auto same = [&](const Total& total) { return total.name == more.name && total.source == more.source; };
    merge_row(totals, more, same, [&](Total& total) {
        if (!total.value || !more.value)
            total.value.reset();
        else if (more.name.ends_with("_age"))
            total.value = std::max(*total.value, *more.value);
        else if (more.name.ends_with("_error")) // of independent samples
            total.value = std::llround(std::hypot(static_cast<double>(*total.value), static_cast<double>(*more.value)));
        else
            *total.value += *more.value;
    });
}

// The counts by the lower bound of their bucket; buckets come from one fixed grid.
std::map<double, std::uint64_t> buckets_of(const Histogram& histogram) {
    std::map<double, std::uint64_t> buckets;
    for (std::size_t i = 0; i < histogram.counts.size(); ++i)
        buckets[histogram.bounds[i]] = histogram.counts[i];
    if (!histogram.bounds.empty())
        buckets.try_emplace(histogram.bounds.back(), 0);
    return buckets;
}

void merge(std::vector<Histogram>& histograms, const Histogram& more) {
    const auto key = [](const Histogram& h) { return std::tie(h.name, h.source, h.unit, h.label); };
    const auto same = [&](const Histogram& histogram) { return key(histogram) == key(more); };
    merge_row(histograms, more, same, [&](Histogram& histogram) {
        auto buckets = buckets_of(histogram);
        for (const auto& [bound, count] : buckets_of(more))
            buckets[bound] += count;
        histogram.bounds.clear();
        histogram.counts.clear();
        for (const auto& [bound, count] : buckets) {
            histogram.bounds.push_back(bound);
            histogram.counts.push_back(count);
        }
        if (!histogram.counts.empty())
            histogram.counts.pop_back(); // the last bound begins no bucket
        if (more.min)
            histogram.min = std::min(histogram.min.value_or(*more.min), *more.min);
        raise(histogram.max, more.max);
    });
}

std::size_t index_of(std::vector<std::string>& names, const std::string& name) {
    const auto found = std::ranges::find(names, name);
    const auto index = static_cast<std::size_t>(found - names.begin());
    if (found == names.end())
        names.push_back(name);
    return index;
}

void merge(std::vector<Matrix>& matrices, const Matrix& more) {
    const auto key = [](const Matrix& m) { return std::tie(m.name, m.source, m.unit, m.by); };
    const auto same = [&](const Matrix& matrix) { return key(matrix) == key(more); };
    merge_row(matrices, more, same, [&](Matrix& matrix) {
        Matrix sum = matrix;
        for (const auto& reader : more.readers)
            index_of(sum.readers, reader);
        for (const auto& writer : more.writers)
            index_of(sum.writers, writer);
        sum.counts.assign(sum.readers.size() * sum.writers.size(), 0);
        for (const Matrix* part : {static_cast<const Matrix*>(&matrix), &more})
            for (std::size_t r = 0; r < part->readers.size(); ++r)
                for (std::size_t w = 0; w < part->writers.size(); ++w)
                    sum.counts[index_of(sum.readers, part->readers[r]) * sum.writers.size() +
                               index_of(sum.writers, part->writers[w])] += part->counts[r * part->writers.size() + w];
        matrix = std::move(sum);
    });
}

void merge(std::vector<SlotSamples>& samples, const SlotSamples& more) {
    const auto same = [&](const SlotSamples& row) { return row.source == more.source; };
    merge_row(samples, more, same, [&](SlotSamples& row) {
        row.taken += more.taken;
        row.with_xid += more.with_xid;
        for (const auto count : {&SlotSamples::xmin_samples, &SlotSamples::with_xmin, &SlotSamples::held_horizon,
                                 &SlotSamples::proc_samples, &SlotSamples::waiting_for_lock})
            add(row.*count, more.*count);
        raise(row.oldest_xmin_age, more.oldest_xmin_age);
        raise(row.horizon_age, more.horizon_age);
        renew(row.database, more.database);
    });
}

void merge(Slot& row, const Slot& more) {
    renew(row.pid, more.pid);
    renew(row.backend, more.backend);
    for (const auto count :
         {&Slot::taken, &Slot::reused, &Slot::rebuilt, &Slot::private_scans, &Slot::events_lost, &Slot::migrations,
          &Slot::migrations_across_llc, &Slot::migrations_across_node, &Slot::migrations_across_socket})
        add(row.*count, more.*count);
    for (const CpuShare& share : more.residency) {
        const auto same = [&](const CpuShare& known) { return known.cpu == share.cpu; };
        merge_row(row.residency, share, same, [&](CpuShare& known) { known.run_ns += share.run_ns; });
    }
    for (const SlotSamples& samples : more.samples)
        merge(row.samples, samples);
}

void merge(std::vector<SourceStatus>& sources, const SourceStatus& more) {
    const auto same = [&](const SourceStatus& row) { return row.name == more.name; };
    merge_row(sources, more, same, [&](SourceStatus& row) {
        if (row.state == SourceState::unavailable && more.state == SourceState::unavailable)
            return;
        if (more.state == SourceState::unavailable)
            append_once(row.reason, "not attached again after a gap: " + more.reason);
        else
            append_once(row.reason, more.reason);
        if (row.hint.empty())
            row.hint = more.hint;
        if (row.state != SourceState::active || more.state != SourceState::active)
            row.state = SourceState::degraded;
        row.end_ns = std::max(row.end_ns, more.end_ns);
        row.records += more.records;
        row.lost += more.lost;
        for (const NamedCount& way : more.losses) {
            const auto same_way = [&](const NamedCount& known) { return known.name == way.name; };
            merge_row(row.losses, way, same_way, [&](NamedCount& known) { known.count += way.count; });
        }
    });
}

double scans_of(const Run& run) {
    double scans = 0;
    for (const Total& total : run.totals)
        if (total.source == "ring" && (total.name == "snapshots_rebuilt" || total.name == "snapshots_private_scans"))
            scans += static_cast<double>(total.value.value_or(0));
    return scans;
}

void merge_lines(Run& whole, const Run& part) {
    auto& lines = whole.layout.lines_per_scan;
    const double before = lines ? scans_of(whole) : 0;
    const double now = part.layout.lines_per_scan ? scans_of(part) : 0;
    if (now > 0)
        lines = (lines.value_or(0) * before + *part.layout.lines_per_scan * now) / (before + now);
}

} // namespace

// Every series has a value a row up to ROWS: none where it was not told.
void RunParts::extend_series(std::size_t rows) {
    for (Series& series : whole_.windows.series)
        if (series.values.size() < rows)
            series.values.resize(rows);
}

void RunParts::add(Run part, std::size_t first_row) {
    merge_lines(whole_, part); // before the totals that it weighs by
    for (const Total& total : part.totals)
        merge(whole_.totals, total);
    for (const Histogram& histogram : part.histograms)
        merge(whole_.histograms, histogram);
    for (const Matrix& matrix : part.matrices)
        merge(whole_.matrices, matrix);
    for (const Slot& slot : part.slots)
        merge(slot_row(whole_, slot.slot), slot);
    for (const SourceStatus& source : part.sources)
        merge(whole_.sources, source);
    for (std::string& warning : part.warnings)
        if (std::ranges::find(whole_.warnings, warning) == whole_.warnings.end())
            whole_.warnings.push_back(std::move(warning));
    for (const Series& series : part.windows.series) {
        const auto same = [&](const Series& known) {
            return known.name == series.name && known.source == series.source;
        };
        auto found = std::ranges::find_if(whole_.windows.series, same);
        if (found == whole_.windows.series.end())
            found = whole_.windows.series.insert(found, {series.name, series.source, series.unit, {}});
        found->values.resize(first_row);
        found->values.insert(found->values.end(), series.values.begin(), series.values.end());
    }
    extend_series(first_row + part.windows.start_ns.size());
    renew(whole_.clock.ticks_per_ns, part.clock.ticks_per_ns);
    raise(whole_.clock.calibration_error_ns, part.clock.calibration_error_ns);
    whole_.clock.backward_stamps += part.clock.backward_stamps;
    if (!whole_.server.max_connections)
        whole_.server.max_connections = part.server.max_connections;
    if (whole_.layout.arrays.empty())
        whole_.layout.arrays = std::move(part.layout.arrays);
}

void RunParts::put(Run& run) && {
    extend_series(run.windows.start_ns.size());
    run.totals = std::move(whole_.totals);
    run.histograms = std::move(whole_.histograms);
    run.matrices = std::move(whole_.matrices);
    run.slots = std::move(whole_.slots);
    run.sources = std::move(whole_.sources);
    for (std::string& warning : whole_.warnings)
        run.warnings.push_back(std::move(warning));
    for (Series& series : whole_.windows.series)
        run.windows.series.push_back(std::move(series));
    run.layout.lines_per_scan = whole_.layout.lines_per_scan;
    if (run.layout.arrays.empty())
        run.layout.arrays = std::move(whole_.layout.arrays);
    if (!run.server.max_connections)
        run.server.max_connections = whole_.server.max_connections;
    run.clock.ticks_per_ns = whole_.clock.ticks_per_ns;
    run.clock.calibration_error_ns = whole_.clock.calibration_error_ns;
    run.clock.backward_stamps = whole_.clock.backward_stamps;
}

} // namespace snapscope
