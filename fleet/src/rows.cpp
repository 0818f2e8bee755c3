#include "rows.hpp"

#include "tables.hpp"

#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/recording/run_folder.hpp>
#include <snapscope/recording/wall_clock.hpp>

#include <array>
#include <cmath>
#include <functional>
#include <set>

namespace snapscope {
namespace {

// Begins a row: the shared columns are there.
using BeginRow = std::function<Appender&()>;

// Numbers that no one counted are null, not 0.
std::optional<std::uint64_t> count_of(const std::set<std::uint32_t>& values) {
    return values.empty() ? std::nullopt : std::optional<std::uint64_t>(values.size());
}

std::uint64_t all_lost(const Run& run) {
    std::uint64_t lost = 0;
    for (const SourceStatus& source : run.sources)
        lost += source.lost;
    return lost;
}

// The Unix time in microseconds is not taken by an appender as a TIMESTAMP; its text is.
std::string sql_time(const std::string& rfc3339) {
    std::string text = rfc3339.substr(0, rfc3339.find('Z'));
    text[10] = ' ';
    return text.substr(0, 26);
}

void add_run(const Run& run, const BeginRow& row) {
    std::set<std::uint32_t> cpus, sockets;
    for (const Cpu& cpu : run.host.cpus) {
        cpus.insert(cpu.cpu);
        sockets.insert(cpu.socket);
    }
    const std::string source = snapshot_source(run);
    const auto counted = [&](const char* name) { return total(run, name, source); };
    const auto* load = run.workload ? &*run.workload : nullptr;
    row()
        .add(sql_time(run.clock.wall_start))
        .add(duration_s(run))
        .add(run.finished)
        .add(run.tool_version)
        .add(run.host.arch)
        .add(run.host.cpu_model)
        .add(count_of(cpus))
        .add(count_of(sockets))
        .add(run.host.kernel)
        .add(run.server.version)
        .add(run.server.version_num)
        .add(run.server.snapshot_cache)
        .add(run.server.max_connections)
        .add(run.server.backends)
        .add(load ? load->clients : std::nullopt)
        .add(load ? std::optional(load->command) : std::nullopt)
        .add(load ? std::optional(load->valid) : std::nullopt)
        .add(load ? load->transactions : std::nullopt)
        .add(counted("snapshots_taken"))
        .add(counted("snapshots_reused"))
        .add(counted("snapshots_rebuilt"))
        .add(counted("snapshots_private_scans"))
        .add(source.empty() ? std::nullopt : std::optional(source))
        .add(all_lost(run))
        .add(std::uint64_t{run.warnings.size()});
}

void add_metrics(const Run& run, const BeginRow& row) {
    std::set<std::pair<std::string, std::string>> derived;
    for (const Metric& metric : derive_metrics(run)) {
        derived.emplace(metric.name, metric.source);
        row().add(metric.name).add(metric.source).add(metric_info(metric.name).unit).add(metric.value);
    }
    for (const Total& total : run.totals)
        if (total.value && !derived.contains({total.name, total.source}))
            row().add(total.name).add(total.source).add(total.unit).add(static_cast<double>(*total.value));
}

void add_windows(const Run& run, const BeginRow& row) {
    for (const Series& series : run.windows.series)
        for (std::size_t i = 0; i < series.values.size(); ++i)
            row()
                .add(std::uint64_t{i})
                .add(run.windows.start_ns[i] - run.clock.start_ns)
                .add(run.windows.end_ns[i] - run.clock.start_ns)
                .add(series.name)
                .add(series.source)
                .add(series.unit)
                .add(series.values[i]);
}

void add_slots(const Run& run, const BeginRow& row) {
    for (const Slot& slot : run.slots) {
        std::optional<std::int64_t> run_ns;
        for (const CpuShare& share : slot.residency)
            run_ns = run_ns.value_or(0) + share.run_ns;
        row()
            .add(slot.slot)
            .add(slot.pid)
            .add(slot.backend)
            .add(slot.taken)
            .add(slot.reused)
            .add(slot.rebuilt)
            .add(slot.private_scans)
            .add(slot.events_lost)
            .add(run_ns)
            .add(slot.migrations)
            .add(slot.migrations_across_socket);
    }
}

void add_lines(const Run& run, const BeginRow& row) {
    for (const Array& array : run.layout.arrays)
        row()
            .add(array.name)
            .add(array.stride_bytes)
            .add(array.entries)
            .add(array.lines)
            .add(array.straddling_entries)
            .add(array.address % 64);
}

void add_transfers(const Run& run, const BeginRow& row) {
    for (const Matrix& matrix : run.matrices)
        for (std::size_t reader = 0; reader < matrix.readers.size(); ++reader)
            for (std::size_t writer = 0; writer < matrix.writers.size(); ++writer)
                if (const double count = matrix.counts[reader * matrix.writers.size() + writer]; count != 0)
                    row()
                        .add(matrix.name)
                        .add(matrix.source)
                        .add(matrix.unit)
                        .add(matrix.by)
                        .add(matrix.readers[reader])
                        .add(matrix.writers[writer])
                        .add(count);
}

void add_histograms(const Run& run, const BeginRow& row) {
    for (const Histogram& histogram : run.histograms)
        for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
            if (histogram.counts[i] == 0)
                continue;
            const double high = histogram.bounds[i + 1];
            row()
                .add(histogram.name)
                .add(histogram.source)
                .add(histogram.unit)
                .add(histogram.label)
                .add(histogram.bounds[i])
                .add(std::isfinite(high) ? std::optional(high) : std::nullopt)
                .add(histogram.counts[i]);
        }
}

void add_sources(const Run& run, const BeginRow& row) {
    for (const SourceStatus& source : run.sources)
        row()
            .add(source.name)
            .add(to_string(source.kind))
            .add(to_string(source.state))
            .add(source.reason)
            .add(source.records)
            .add(source.lost);
}

} // namespace

Result<std::string> month_of(const Run& run) {
    if (!parse_wall_time(run.clock.wall_start))
        return fail("the run does not say when it was: wall_start is '" + run.clock.wall_start + "'");
    return run.clock.wall_start.substr(0, 7);
}

Result<RunAppender> RunAppender::open(Database& database) {
    std::vector<Appender> tables;
    for (const LakeTable& table : lake_tables()) {
        auto appender = database.append_to(table.name);
        if (!appender)
            return fail(appender.error());
        tables.push_back(std::move(*appender));
    }
    return RunAppender(std::move(tables));
}

Status RunAppender::append(const Run& run, const std::string& ingest) {
    using Add = void (*)(const Run&, const BeginRow&);
    constexpr std::array<Add, 8> in_order{add_run,   add_metrics,   add_windows,    add_slots,
                                          add_lines, add_transfers, add_histograms, add_sources};
    const auto month = month_of(run);
    if (!month)
        return fail(month.error());
    for (std::size_t i = 0; i < in_order.size(); ++i) {
        Appender& table = tables_.at(i);
        bool open = false;
        const auto end_row = [&] {
            if (open)
                table.add(*month).end_row();
        };
        in_order[i](run, [&]() -> Appender& {
            end_row();
            open = true;
            return table.add(run.id).add(ingest).add(run.host.name);
        });
        end_row();
    }
    return {};
}

Status RunAppender::flush() {
    for (Appender& table : tables_)
        SNAPSCOPE_TRY(table.flush());
    return {};
}

} // namespace snapscope
