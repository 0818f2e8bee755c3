// perf's memory samples, from a report of c2c or from perf script: HITM by
// line, by field, by function and by the reader's socket.
#include "import_parts.hpp"

#include <snapscope/readers/c2c.hpp>
#include <snapscope/readers/hitm_report.hpp>
#include <snapscope/readers/perf_script.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <tuple>

namespace snapscope {
namespace {

constexpr std::size_t most_rows = 64;    // of a matrix: the hottest
constexpr std::size_t hot_functions = 3; // named in one warning
constexpr std::int64_t second_ns = 1'000'000'000;

std::optional<std::int64_t> whole(std::optional<double> value) {
    return value ? std::optional(std::llround(*value)) : std::nullopt;
}

void add_total(Run& run, const char* name, const char* source, const char* unit, std::optional<double> value) {
    run.totals.push_back({name, source, unit, whole(value)});
}

double at_or(const C2cFigures& figures, const char* name, double otherwise) {
    const auto at = figures.find(name);
    return at == figures.end() ? otherwise : at->second;
}

// What lies at ADDRESS by the server's layout, else the address itself.
std::string line_name(const ImportOptions& options, std::uint64_t address) {
    return options.layout ? options.layout->line_text(address) : fmt::format("{:#x}", address);
}

std::string field_name(const ImportOptions& options, std::uint64_t line, std::uint64_t offset) {
    if (options.layout)
        if (const auto place = options.layout->find(line + offset))
            return options.layout->field_text(*place);
    return fmt::format("{:#x}+{:#x}", line, offset);
}

// An address beyond every array means that the layout is another server's, or of another start of it.
void note_layout(const ImportOptions& options, std::size_t outside, std::size_t all, Run& run) {
    if (options.layout && outside > 0)
        run.warnings.push_back(
            fmt::format("{} of {} lines with HITM lie in no array of the layout{}", outside, all,
                        outside == all ? ": is it of the same server, and the same start of it?" : ""));
}

void add_c2c_lines(const C2cReport& report, const ImportOptions& options, Run& run) {
    std::size_t outside = 0;
    Matrix lines = hitm_matrix("line");
    Matrix fields = hitm_matrix("field");
    for (const C2cLine& line : report.lines) {
        const auto local = line.figures.find("hitm_lcl");
        const auto remote = line.figures.find("hitm_rmt");
        if (local == line.figures.end() || remote == line.figures.end() || lines.readers.size() == most_rows)
            continue;
        add_row(lines, line_name(options, line.address), local->second, remote->second);
        outside += options.layout && !options.layout->find_line(line.address) ? 1U : 0U;
        for (const C2cAccess& access : report.accesses) {
            if (access.line != line.index || !access.figures.contains("rmt_hitm_pct") ||
                !access.figures.contains("lcl_hitm_pct") || fields.readers.size() == most_rows)
                continue;
            const double from_local = local->second * at_or(access.figures, "lcl_hitm_pct", 0) / 100;
            const double from_remote = remote->second * at_or(access.figures, "rmt_hitm_pct", 0) / 100;
            if (from_local + from_remote > 0)
                add_row(fields, field_name(options, line.address, access.offset) + " " + access.symbol, from_local,
                        from_remote);
        }
    }
    note_layout(options, outside, lines.readers.size(), run);
    for (Matrix* matrix : {&lines, &fields})
        if (!matrix->readers.empty())
            run.matrices.push_back(std::move(*matrix));
}

SourceStatus hitm_source(std::uint64_t records, std::uint64_t lost, bool reports_none) {
    SourceStatus out{"hitm", EvidenceKind::measured, SourceState::active, "", "", 0, 0, records, lost, {}};
    if (lost > 0) {
        out.state = SourceState::degraded;
        out.reason = fmt::format("{} lines of the file could not be used", lost);
        out.losses = {{"lines_unusable", lost}};
    }
    if (reports_none) {
        out.state = SourceState::unavailable;
        out.reason = no_hitm_reason;
        out.hint = no_hitm_hint;
    }
    return out;
}

template <typename Place, typename Name>
void add_hottest(const std::map<Place, SampleCounts>& places, const char* by, Name name, Run& run) {
    std::vector<std::pair<Place, SampleCounts>> rows;
    for (const auto& [place, counts] : places)
        if (counts.hitm_local + counts.hitm_remote > 0)
            rows.emplace_back(place, counts);
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) {
        return std::tuple(a.second.hitm_remote, a.second.hitm()) > std::tuple(b.second.hitm_remote, b.second.hitm());
    });
    if (rows.size() > most_rows) {
        run.warnings.push_back(fmt::format("the {} hottest of {} by {} are kept", most_rows, rows.size(), by));
        rows.resize(most_rows);
    }
    Matrix matrix = hitm_matrix(by);
    for (const auto& [place, counts] : rows)
        add_row(matrix, name(place), static_cast<double>(counts.hitm_local), static_cast<double>(counts.hitm_remote));
    if (!matrix.readers.empty())
        run.matrices.push_back(std::move(matrix));
}

// By array, entry and field; bytes of one field together.
void add_fields(const PerfScript& script, const ImportOptions& options, Run& run) {
    const AddressMap& layout = *options.layout;
    std::map<std::string, SampleCounts> fields;
    for (const auto& [address, counts] : script.by_address)
        if (const auto place = layout.find(address)) {
            SampleCounts& sum = fields[layout.field_text(*place)];
            sum.hitm_local += counts.hitm_local;
            sum.hitm_remote += counts.hitm_remote;
        }
    add_hottest(
        fields, "field", [](const std::string& name) { return name; }, run);
    const auto outside =
        std::ranges::count_if(script.by_line, [&](const auto& line) { return !layout.find_line(line.first); });
    note_layout(options, static_cast<std::size_t>(outside), script.by_line.size(), run);
}

// The reader's socket or node, where the topology tells it for every CPU that was sampled.
void add_by_group(const PerfScript& script, const MachineTopology& topology, const char* by,
                  std::optional<std::uint32_t> TopologyCpu::*group, Run& run) {
    std::map<std::uint32_t, SampleCounts> groups;
    for (const auto& [cpu, counts] : script.by_cpu) {
        const TopologyCpu* known = topology.find(cpu);
        if (known == nullptr || !(known->*group)) {
            run.warnings.push_back(fmt::format("the topology does not tell the {} of CPU {}: none by {}", by, cpu, by));
            return;
        }
        SampleCounts& sum = groups[*(known->*group)];
        sum.hitm_local += counts.hitm_local;
        sum.hitm_remote += counts.hitm_remote;
    }
    add_hottest(
        groups, by, [](std::uint32_t number) { return std::to_string(number); }, run);
}

// Where the time goes, in a profile; snapshots are not claimed to matter.
void add_profile(const PerfScript& script, Run& run) {
    std::vector<std::pair<std::string, std::uint64_t>> rows;
    for (const auto& [function, counts] : script.by_function)
        rows.emplace_back(function, counts.samples);
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    if (rows.empty() || (rows.size() == 1 && rows.front().first == "?"))
        return;
    const auto share = [&](std::uint64_t samples) {
        return 100 * static_cast<double>(samples) / static_cast<double>(script.samples);
    };
    std::string text;
    for (std::size_t i = 0; i < std::min(hot_functions, rows.size()); ++i)
        text += fmt::format("{}{} {:.1f} %", i == 0 ? "" : ", ", rows[i].first, share(rows[i].second));
    const auto own = script.by_function.find("GetSnapshotData");
    const double snapshot_share = own == script.by_function.end() ? 0 : share(own->second.samples);
    std::string verdict;
    if (rows.front().first != "GetSnapshotData")
        verdict =
            fmt::format("; the hot spot is {}, not GetSnapshotData ({:.1f} %)", rows.front().first, snapshot_share);
    run.warnings.push_back("profile: " + text + verdict);
}

} // namespace

Result<Imported> import_c2c(std::string_view text, const ImportOptions& options) {
    const auto report = read_c2c(text, options.label);
    if (!report)
        return fail(report.error());
    Imported out = new_import(options);
    Run& run = out.run;
    const double records = report->total("Total records").value_or(0);
    run.sources.push_back(hitm_source(static_cast<std::uint64_t>(std::llround(std::min(records, 1e15))),
                                      report->rows_lost, report->reports_no_hitm()));
    add_total(run, "hitm_samples_local", "hitm", "samples", report->local_hitm());
    add_total(run, "hitm_samples_remote", "hitm", "samples", report->remote_hitm());
    add_total(run, "load_samples", "hitm", "samples", report->total("Load Operations"));
    add_total(run, "store_samples", "hitm", "samples", report->total("Store Operations"));
    add_total(run, "llc_miss_samples", "hitm", "samples", report->total("Load LLC Misses"));
    if (!report->reports_no_hitm())
        add_c2c_lines(*report, options, run);
    run.warnings.emplace_back("samples, not events: the report does not state the sampling period");
    run.warnings.insert(run.warnings.end(), report->notes.begin(), report->notes.end());
    out.partial = report->rows_lost > 0 || report->reports_no_hitm() || !report->notes.empty();
    return out;
}

Result<Imported> import_perf_script(std::string_view text, const ImportOptions& options) {
    const auto script = read_perf_script(text, options.label);
    if (!script)
        return fail(script.error());
    Imported out = new_import(options);
    Run& run = out.run;
    if (script->first_s && script->last_s)
        run.clock.end_ns = std::llround(std::min(*script->last_s - *script->first_s, 1e9) * second_ns);
    const bool none = script->reports_no_hitm();
    if (script->memory_samples > 0) {
        run.sources.push_back(hitm_source(script->memory_samples, script->lines_lost, none));
        const auto count = [none](std::uint64_t value) {
            return none ? std::nullopt : std::optional(static_cast<double>(value));
        };
        add_total(run, "hitm_samples_local", "hitm", "samples", count(script->all.hitm_local));
        add_total(run, "hitm_samples_remote", "hitm", "samples", count(script->all.hitm_remote));
        add_total(run, "hitm_samples_unplaced", "hitm", "samples", count(script->all.hitm_unplaced));
        add_total(run, "load_samples", "hitm", "samples", static_cast<double>(script->loads));
        add_total(run, "store_samples", "hitm", "samples", static_cast<double>(script->stores));
        if (script->has_period && !none) {
            add_total(run, "hitm_events_local", "hitm", "1", script->all.period_local);
            add_total(run, "hitm_events_remote", "hitm", "1", script->all.period_remote);
        } else if (!none)
            run.warnings.emplace_back("samples, not events: the file does not state the period of each");
        add_hottest(
            script->by_line, "line", [&](std::uint64_t line) { return line_name(options, line); }, run);
        if (options.layout)
            add_fields(*script, options, run);
        add_hottest(
            script->by_function, "function", [](const std::string& name) { return name; }, run);
        if (options.topology) {
            add_by_group(*script, *options.topology, "node", &TopologyCpu::node, run);
            add_by_group(*script, *options.topology, "socket", &TopologyCpu::socket, run);
        }
    } else {
        SourceStatus source{"perf",           EvidenceKind::sampled, SourceState::active, "", "", 0,
                            run.clock.end_ns, script->samples,       script->lines_lost,  {}};
        if (script->lines_lost > 0) {
            source.state = SourceState::degraded;
            source.reason = fmt::format("{} lines of the file could not be used", script->lines_lost);
            source.losses = {{"lines_unusable", script->lines_lost}};
        }
        run.sources.push_back(std::move(source));
    }
    add_profile(*script, run);
    run.warnings.insert(run.warnings.end(), script->notes.begin(), script->notes.end());
    out.partial = none || script->lines_lost > 0 || script->contradictions > 0;
    return out;
}

} // namespace snapscope
