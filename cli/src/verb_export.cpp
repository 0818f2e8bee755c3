// snapscope export RUN --format perfetto|openmetrics|parquet
#include "event_files.hpp"
#include "exit.hpp"
#include "interrupt.hpp"
#include "option_checks.hpp"
#include "output_file.hpp"
#include "verbs.hpp"

#include <snapscope/analyzer/perfetto.hpp>
#include <snapscope/dashboards/exposition.hpp>
#include <snapscope/fleet/lake.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <filesystem>
#include <fmt/format.h>
#include <memory>
#include <unistd.h>

namespace snapscope::cli {
namespace {

struct ExportOptions {
    std::string run;
    std::string format;
    std::string output;
    bool force = false;
};

// The run's events twice: once to see which source they come from.
struct Events {
    std::unique_ptr<EventStream> stream; // null: the run has none
    EventSource source = EventSource::ring;
};

Result<Events> open_events(const Run& run, const std::filesystem::path& folder, const Terminal& terminal) {
    Events events;
    if (!run.events) {
        terminal.note("the run has no events (record --events): counters alone are exported");
        return events;
    }
    auto probe = open_event_stream(folder);
    if (!probe)
        return fail(probe.error());
    const auto source = preferred_source(**probe);
    // A damaged trace: the export says where it breaks.
    events.source = source.value_or(EventSource::ring);
    auto stream = open_event_stream(folder);
    if (!stream)
        return fail(stream.error());
    events.stream = std::move(*stream);
    return events;
}

int conclude(const Run& run, const Status& files, const PerfettoResult& result, const Terminal& terminal) {
    terminal.detail(fmt::format("{} trace events, {} snapshots", result.written, result.snapshots));
    if (result.problem)
        terminal.note("warning: the trace is not complete: " + *result.problem);
    else if (!files)
        terminal.note("warning: the trace is not complete: " + files.error().what);
    if (result.lost > 0)
        terminal.note(fmt::format("warning: {} records were lost while recording", result.lost));
    if (!run.finished)
        terminal.note("warning: the run is unfinished");
    return result.problem || !files || result.lost > 0 || !run.finished ? exit_partial : exit_done;
}

Result<int> export_perfetto(const ExportOptions& options, const Terminal& terminal) {
    const auto run = read_run(options.run);
    if (!run)
        return fail(run.error());
    const auto events = open_events(*run, std::filesystem::path(options.run) / "events", terminal);
    if (!events)
        return fail(events.error());
    auto file = OutputFile::create(options.output.empty() ? "-" : options.output, options.force);
    if (!file)
        return fail(file.error());
    const auto write = [&](std::string_view bytes) { return file->write(bytes); };
    PerfettoOptions perfetto;
    perfetto.tool = "snapscope " SNAPSCOPE_VERSION;
    perfetto.stop = &catch_interrupts();
    const auto result = write_perfetto(*run, events->stream.get(), events->source, write, perfetto);
    if (!result)
        return fail(result.error());
    SNAPSCOPE_TRY(file->commit());
    return conclude(*run, check_event_files(*run, options.run), *result, terminal);
}

Result<int> export_openmetrics(const ExportOptions& options, const Terminal& terminal) {
    const auto run = read_run(options.run);
    if (!run)
        return fail(run.error());
    const auto text = openmetrics_text(*run);
    if (!text)
        return fail(text.error());
    SNAPSCOPE_TRY(write_result(options.output, options.force, *text));
    if (!run->finished)
        terminal.note("warning: the run is unfinished");
    return run->finished ? exit_done : exit_partial;
}

// Into a lake; the same as `fleet ingest` of one run.
Result<int> export_parquet(const ExportOptions& options, const Terminal& terminal) {
    if (options.output.empty())
        return fail("--format parquet needs a folder to write into", "-o LAKE", ErrorClass::usage);
    const auto run = read_run(options.run);
    if (!run)
        return fail(run.error());
    auto lake = LakeWriter::open(options.output, {}, [&] { terminal.note("waiting for another writer of the lake"); });
    if (!lake)
        return fail(lake.error());
    const auto added = lake->add(*run);
    if (!added)
        return fail(added.error());
    SNAPSCOPE_TRY(lake->commit());
    if (*added == Ingested::known)
        terminal.note("the lake has this run already");
    if (!run->finished)
        terminal.note("warning: the run is unfinished");
    return run->finished ? exit_done : exit_partial;
}

Result<int> export_run(const ExportOptions& options, const Terminal& terminal) {
    if (options.format == "perfetto")
        return export_perfetto(options, terminal);
    if (options.format == "openmetrics")
        return export_openmetrics(options, terminal);
    if (options.format == "parquet")
        return export_parquet(options, terminal);
    return fail("'" + options.format + "' is no export format of this build",
                "--format perfetto, openmetrics or parquet", ErrorClass::usage);
}

} // namespace

void add_export(CLI::App& app, Context& context) {
    CLI::App* verb = app.add_subcommand("export", "A run in the form that another tool reads")->group(group_read);
    auto options = std::make_shared<ExportOptions>();
    verb->add_option("RUN", options->run, "A run: a folder NAME.snap")->required();
    verb->add_option("--format", options->format,
                     "perfetto: Trace Event JSON for ui.perfetto.dev;\nopenmetrics: every window with its time, for "
                     "Prometheus;\nparquet: into a lake of many runs, -o LAKE (see snapscope fleet)")
        ->required()
        ->type_name("FORMAT");
    verb->add_option("-o,--output", options->output, "Write to a file (standard output otherwise), or into a lake")
        ->type_name("FILE|LAKE")
        ->check(not_empty);
    verb->add_flag("--force", options->force, "Replace an existing file");
    verb->footer(
        "Ctrl-C closes the file where it is: what is written is a valid trace (exit 3).\n\n"
        "Examples:\n"
        "  snapscope export busy.snap --format perfetto -o busy.json && snapscope trace check busy.json\n"
        "  snapscope export busy.snap --format openmetrics -o busy.om && promtool tsdb create-blocks-from openmetrics "
        "busy.om data/\n");
    verb->callback([&context, options] {
        context.action = [&context, options] { return export_run(*options, context.terminal); };
    });
}

} // namespace snapscope::cli
