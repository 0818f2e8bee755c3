#include "csv_table.hpp"
#include "tps_columns.hpp"

#include <snapscope/analyzer/measurements.hpp>
#include <snapscope/analyzer/metrics.hpp>
#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <sstream>

namespace snapscope {
namespace {

constexpr std::size_t max_csv_bytes = std::size_t{256} << 20U;

// Columns that number or describe runs; their values are no result.
constexpr std::array<std::string_view, 15> describing{
    "workload", "repeat",  "round",           "run",  "position", "iteration", "seed",      "scale",
    "clients",  "threads", "max_connections", "mode", "variant",  "reconnect", "duration_s"};

bool describes(std::string_view column) {
    return std::find(describing.begin(), describing.end(), column) != describing.end();
}

// Columns whose every cell is a number or empty, and one at least a number.
std::vector<std::size_t> metric_columns(const CsvTable& table, const TpsColumns& tps) {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        const auto usable = [&](const CsvTable::Row& row) {
            return row.cells[i].empty() || parse_double(row.cells[i]);
        };
        const auto filled = [&](const CsvTable::Row& row) { return !row.cells[i].empty(); };
        if (!tps.owns(i) && !describes(table.columns[i]) && std::all_of(table.rows.begin(), table.rows.end(), usable) &&
            std::any_of(table.rows.begin(), table.rows.end(), filled))
            out.push_back(i);
    }
    return out;
}

// A column of words with several values: rows of several kinds are in one file.
std::vector<std::string> mixed_rows(const CsvTable& table, const std::string& label) {
    std::vector<std::string> out;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        std::set<std::string> words;
        for (const CsvTable::Row& row : table.rows)
            if (!parse_double(row.cells[i]))
                words.insert(row.cells[i]);
        if (words.size() > 1 && table.columns[i] != "reconnect" && table.columns[i] != "workload")
            out.push_back(fmt::format("{}: column {} has {} values; all rows are taken as repeats of one thing", label,
                                      table.columns[i], words.size()));
    }
    return out;
}

// The command without the folder of its program and without where it connects
// to, which runs of one load on two servers differ in.
std::string load_itself(const std::string& command) {
    std::istringstream words(command);
    std::string out;
    bool skip = false;
    for (std::string word; words >> word;) {
        const bool target = word == "-h" || word == "-p" || word == "-U" || word == "--host" || word == "--port" ||
                            word == "--username";
        const bool joined =
            word.starts_with("--host=") || word.starts_with("--port=") || word.starts_with("--username=");
        if (out.empty())
            out = word.substr(word.rfind('/') + 1);
        else if (!skip && !target && !joined)
            out += " " + word;
        skip = target;
    }
    return out;
}

} // namespace

Measurement measure(const Run& run, std::string label) {
    Measurement out;
    out.label = std::move(label);
    for (const Metric& metric : derive_metrics(run))
        out.values[metric.name] = {metric.value, metric.source};
    out.run_id = run.id;
    out.pairing = run.pairing;
    if (run.workload) {
        out.clients = run.workload->clients;
        out.reconnect = run.workload->reconnect;
        out.workload_valid = run.workload->valid;
        out.load = load_itself(run.workload->command);
    }
    out.finished = run.finished;
    out.host = run.host.name;
    out.server_version = run.server.version;
    out.snapshot_cache = run.server.snapshot_cache;
    out.max_connections = run.server.max_connections;
    out.settings = run.server.settings;
    for (const SourceStatus& source : run.sources) {
        if (source.state == SourceState::active || source.state == SourceState::degraded)
            out.active_sources.push_back(source.name);
        out.lost += source.lost;
    }
    if (run.events)
        out.active_sources.emplace_back("events");
    std::sort(out.active_sources.begin(), out.active_sources.end());
    return out;
}

Result<std::vector<Measurement>> measurements_from_csv(std::string_view text, const std::string& label) {
    const auto table = parse_csv(text, label);
    if (!table)
        return fail(table.error());
    const auto tps = find_tps_columns(*table, label);
    if (!tps)
        return fail(tps.error());
    if (!tps->variants.empty())
        return fail(label + " has several columns of tps",
                    "give one file a side with a column tps, or look at all with 'snapscope analyze'");
    if (table->rows.empty())
        return fail(label + " has no rows");
    const auto clients = table->column("clients");
    const auto workload = table->column("workload");
    const auto metrics = metric_columns(*table, *tps);
    std::vector<Measurement> out;
    for (const CsvTable::Row& row : table->rows) {
        const std::size_t column = tps->of(row).front().column;
        const auto value = parse_double(row.cells[column]);
        if (!value || *value <= 0)
            return fail(fmt::format("{}: line {}: {} '{}' is no number above 0", label, row.line,
                                    table->columns[column], row.cells[column]));
        Measurement& next = out.emplace_back();
        next.label = fmt::format("{}:{}", label, row.line);
        next.values["tps"] = {*value, "csv"};
        for (const std::size_t metric : metrics)
            if (const auto number = parse_double(row.cells[metric]))
                next.values[table->columns[metric]] = {*number, "csv"};
        if (clients)
            next.clients = parse_integer<std::uint32_t>(row.cells[*clients]);
        if (workload)
            next.load = row.cells[*workload];
        if (tps->reconnect || (tps->including && tps->excluding))
            next.reconnect = tps->reconnects(row);
        if (!tps->plain)
            next.tps_includes_connecting = column == tps->including;
    }
    std::vector<std::string> notes = mixed_rows(*table, label);
    notes.insert(notes.begin(), table->notes.begin(), table->notes.end());
    notes.insert(notes.end(), tps->notes.begin(), tps->notes.end());
    out.front().warnings = std::move(notes);
    return out;
}

Result<std::vector<Measurement>> load_measurements(const std::filesystem::path& path) {
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) {
        const auto run = read_run(path);
        if (!run)
            return fail(run.error());
        return std::vector<Measurement>{measure(*run, path.string())};
    }
    const auto text = read_file(path, max_csv_bytes);
    if (!text)
        return fail(text.error());
    return measurements_from_csv(*text, path.string());
}

} // namespace snapscope
