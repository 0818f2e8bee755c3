// snapscope fleet ingest | query | trend | outliers | compact
#include "exit.hpp"
#include "fleet_text.hpp"
#include "option_checks.hpp"
#include "verbs.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

// Runs that wait in memory for a commit: one file a table and month for so many.
constexpr std::size_t runs_a_commit = 500;

struct FleetOptions {
    std::string lake;
    LakeOptions lake_options;
    std::vector<std::string> runs;
    bool unfinished = false;
    std::string sql;
    TrendOptions trend;
    bool all = false;
    Format format = Format::text;
};

// One result in the four forms.
template <typename Text, typename Json>
Status print_as(Format format, const Table& table, const Text& text, const Json& json) {
    switch (format) {
    case Format::json:
        return print(render_json(json()));
    case Format::csv:
        return print(table.csv());
    case Format::markdown:
        return print(table.markdown());
    case Format::text:
        break;
    }
    return print(text());
}

// What came of the runs that were given.
struct IngestCount {
    std::size_t added = 0, known = 0, failed = 0;
};

Status ingest_one(LakeWriter& lake, const std::string& path, bool unfinished, IngestCount& count) {
    const auto run = read_run(path);
    if (!run)
        return fail(run.error());
    if (!run->finished && !unfinished)
        return fail(path + " is unfinished: it is being recorded, or was cut off", "--unfinished takes it as it is");
    const auto added = lake.add(*run);
    if (!added)
        return fail(path + ": " + added.error().what, added.error().hint);
    ++(*added == Ingested::added ? count.added : count.known);
    return {};
}

Result<int> ingest(const FleetOptions& options, const Terminal& terminal) {
    auto lake = LakeWriter::open(options.lake, options.lake_options,
                                 [&] { terminal.note("waiting for another writer of " + options.lake); });
    if (!lake)
        return fail(lake.error());
    IngestCount count;
    for (const std::string& path : options.runs) {
        if (const auto done = ingest_one(*lake, path, options.unfinished, count); !done) {
            ++count.failed;
            static_cast<void>(report(done.error())); // the others go on
        }
        if (lake->pending() >= runs_a_commit)
            SNAPSCOPE_TRY(lake->commit());
    }
    SNAPSCOPE_TRY(lake->commit());
    SNAPSCOPE_TRY(print(
        fmt::format("{} runs added, {} were there already, {} failed\n", count.added, count.known, count.failed)));
    if (count.failed == 0)
        return exit_done;
    return count.failed == options.runs.size() ? exit_failed : exit_partial;
}

Result<int> compact(const FleetOptions& options, const Terminal& terminal) {
    auto lake = LakeWriter::open(options.lake, options.lake_options,
                                 [&] { terminal.note("waiting for another writer of " + options.lake); });
    if (!lake)
        return fail(lake.error());
    const auto result = lake->compact();
    if (!result)
        return fail(result.error());
    SNAPSCOPE_TRY(print(fmt::format("{} files became {}\n", result->files_before, result->files_after)));
    return exit_done;
}

Result<int> query(const FleetOptions& options) {
    auto lake = LakeReader::open(options.lake, options.lake_options);
    if (!lake)
        return fail(lake.error());
    const auto rows = lake->select(options.sql);
    if (!rows)
        return fail(rows.error());
    const Table table = query_table(*rows);
    SNAPSCOPE_TRY(print_as(
        options.format, table, [&] { return table.text(Terminal{}); }, [&] { return query_json(*rows); }));
    return exit_done;
}

Result<int> show_trend(const FleetOptions& options, const Terminal& terminal) {
    auto lake = LakeReader::open(options.lake, options.lake_options);
    if (!lake)
        return fail(lake.error());
    const auto found = trend(*lake, options.trend);
    if (!found)
        return fail(found.error());
    if (found->runs == 0)
        return fail("no run in " + options.lake + " has the metric '" + options.trend.metric + "' for that",
                    "snapscope fleet query " + options.lake + " 'SELECT DISTINCT name FROM metrics' lists them");
    SNAPSCOPE_TRY(print_as(
        options.format, trend_table(*found, options.all), [&] { return trend_text(*found, options.all, terminal); },
        [&] { return trend_json(*found); }));
    return exit_done;
}

Result<int> show_outliers(const FleetOptions& options, const Terminal& terminal) {
    auto lake = LakeReader::open(options.lake, options.lake_options);
    if (!lake)
        return fail(lake.error());
    const auto groups = outliers(*lake);
    if (!groups)
        return fail(groups.error());
    SNAPSCOPE_TRY(print_as(
        options.format, outliers_table(*groups), [&] { return outliers_text(*groups, terminal); },
        [&] { return outliers_json(*groups); }));
    return exit_done;
}

} // namespace

void add_fleet(CLI::App& app, Context& context) {
    CLI::App* fleet = app.add_subcommand("fleet", "Many runs of many hosts, as Parquet")->group(group_compare);
    fleet->require_subcommand(1);
    auto options = std::make_shared<FleetOptions>();
    const auto add = [&](const char* name, const char* what, auto&& action) {
        CLI::App* verb = fleet->add_subcommand(name, what);
        verb->add_option("LAKE", options->lake, "A folder of Parquet files (docs/lake.md)")
            ->required()
            ->check(not_empty);
        verb->add_option("--duckdb", options->lake_options.duckdb,
                         "DuckDB's library, libduckdb.so (otherwise the system's, or that of ./dev setup)")
            ->type_name("FILE")
            ->check(not_empty);
        verb->callback([&context, options, action] {
            context.action = [&context, options, action] { return action(*options, context.terminal); };
        });
        return verb;
    };
    CLI::App* into = add("ingest", "Put runs into a lake; those that it has already are left alone", ingest);
    into->add_option("RUN", options->runs, "Runs: folders NAME.snap")->required();
    into->add_flag("--unfinished", options->unfinished, "Also runs that were cut off");
    into->footer("Example:\n  snapscope fleet ingest lake nightly/*.snap\n");

    CLI::App* ask = add("query", "The rows of an SQL query over a lake's tables",
                        [](const FleetOptions& given, const Terminal&) { return query(given); });
    ask->add_option("SQL", options->sql,
                    "One SELECT; tables: runs, metrics, windows, slots, lines, transfers, histograms, "
                    "sources")
        ->required();
    add_format_option(*ask, options->format);
    ask->footer("Example:\n  snapscope fleet query lake 'SELECT host, count(*) AS runs FROM runs GROUP BY host'\n");

    CLI::App* over =
        add("trend", "A metric over the dates of each host's runs, and where its level changed", show_trend);
    over->add_option("--metric", options->trend.metric, "A metric or total by name (default snapshot_ns)")
        ->type_name("NAME")
        ->check(not_empty);
    over->add_option("--host", options->trend.host, "Of this host alone")->type_name("NAME")->check(not_empty);
    over->add_option("--mode", options->trend.mode, "Of this snapshot_cache alone")
        ->type_name("MODE")
        ->check(not_empty);
    over->add_flag("--all", options->all, "In tables also what did not change");
    add_format_option(*over, options->format);
    over->footer("Example:\n  snapscope fleet trend lake --metric tps --mode off\n");

    CLI::App* odd = add("outliers", "Hosts whose snapshots cost other than their connections explain", show_outliers);
    add_format_option(*odd, options->format);
    odd->footer("Example:\n  snapscope fleet outliers lake --format json\n");

    add("compact", "One file of many small ones; readers and their queries see no difference", compact);
}

} // namespace snapscope::cli
