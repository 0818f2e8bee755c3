// snapscope report RUN... [--against NEW...] | SWEEP
#include "event_files.hpp"
#include "exit.hpp"
#include "option_checks.hpp"
#include "output_file.hpp"
#include "verbs.hpp"

#include <snapscope/dashboards/report.hpp>
#include <snapscope/dashboards/sweep_report.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>

namespace snapscope::cli {
namespace {

constexpr const char* tool = "snapscope " SNAPSCOPE_VERSION;

struct ReportOptions {
    std::vector<std::string> runs, other, floor;
    std::string output;
    bool force = false;
};

// What was read of one side of a comparison; CSV rows have no kinds.
struct Side {
    std::vector<Measurement> measurements;
    std::map<std::string, EvidenceKind> kinds;
};

Result<Side> load(const std::vector<std::string>& paths) {
    Side out;
    for (const std::string& path : paths) {
        std::error_code error;
        if (std::filesystem::is_directory(path, error)) {
            const auto run = read_run(path);
            if (!run)
                return fail(run.error());
            out.measurements.push_back(measure(*run, path));
            for (const SourceStatus& source : run->sources)
                out.kinds.emplace(source.name, source.kind);
            continue;
        }
        auto rows = load_measurements(path);
        if (!rows)
            return fail(rows.error());
        std::move(rows->begin(), rows->end(), std::back_inserter(out.measurements));
    }
    return out;
}

Result<int> report_comparison(const ReportOptions& options) {
    auto base = load(options.runs);
    if (!base)
        return fail(base.error());
    auto other = load(options.other);
    if (!other)
        return fail(other.error());
    auto floor = load(options.floor);
    if (!floor)
        return fail(floor.error());
    auto result = diff(base->measurements, other->measurements, floor->measurements);
    if (!result)
        return fail(result.error());
    DiffReport report{std::move(*result), std::move(base->measurements), std::move(other->measurements),
                      std::move(base->kinds)};
    report.kinds.merge(other->kinds);
    SNAPSCOPE_TRY(write_result(options.output, options.force, report_diff(report, tool)));
    return report.diff.partial ? exit_partial : exit_done;
}

Result<int> report_each(const ReportOptions& options) {
    std::vector<ReportRun> runs;
    bool finished = true;
    for (const std::string& path : options.runs) {
        auto run = read_run(path);
        if (!run)
            return fail(run.error());
        // Nothing of the report comes from the events, so it stays whole (docs/contracts.md).
        if (const auto whole = check_event_files(*run, path); !whole)
            run->warnings.push_back("the events are damaged, the figures here are not: " + whole.error().what);
        finished = finished && run->finished;
        runs.push_back({path, std::move(*run)});
    }
    SNAPSCOPE_TRY(write_result(options.output, options.force, report_runs(runs, tool)));
    return finished ? exit_done : exit_partial;
}

// A folder with sweep.json, or a table: what `analyze` takes.
bool is_sweep(const std::string& path) {
    std::error_code error;
    return std::filesystem::exists(std::filesystem::path(path) / "sweep.json", error) || path.ends_with(".csv");
}

// Of the runs of a sweep folder, in their order; a run that cannot be read has
// none, and the analysis says why.
std::vector<SweepLayout> layouts_of(const Sweep& sweep, const std::filesystem::path& folder) {
    std::vector<SweepLayout> out;
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
        return out;
    for (const SweepRun& run : sweep.runs)
        if (const auto read = run.failure.empty() ? read_run(folder / run.label) : Result<Run>(fail(run.failure));
            read && !read->layout.arrays.empty())
            out.push_back({run.x, group_name(run.keys), read->layout.arrays});
    return out;
}

Result<int> report_one_sweep(const ReportOptions& options) {
    const std::string& path = options.runs.front();
    auto sweep = load_sweep(path);
    if (!sweep)
        return fail(sweep.error());
    auto analysis = analyze(*sweep);
    if (!analysis)
        return fail(analysis.error());
    const SweepReport report{path, std::move(*analysis), sweep->kinds, layouts_of(*sweep, path)};
    SNAPSCOPE_TRY(write_result(options.output, options.force, report_sweep(report, tool)));
    return report.analysis.partial ? exit_partial : exit_done;
}

Result<int> report_what_is_given(const ReportOptions& options) {
    if (!options.other.empty())
        return report_comparison(options);
    const auto sweep = std::find_if(options.runs.begin(), options.runs.end(), is_sweep);
    if (sweep == options.runs.end())
        return report_each(options);
    if (options.runs.size() > 1)
        return fail("one sweep is one report: " + *sweep + " is given beside others", "give it alone",
                    ErrorClass::usage);
    return report_one_sweep(options);
}

} // namespace

void add_report(CLI::App& app, Context& context) {
    CLI::App* verb =
        app.add_subcommand("report", "One HTML file to look at and to send, from runs, a comparison or a sweep")
            ->group(group_read);
    auto options = std::make_shared<ReportOptions>();
    verb->add_option("RUN", options->runs,
                     "Runs (.snap), or one sweep (.sweep, or a table as analyze takes it);\nwith --against also CSV "
                     "files with a column tps")
        ->required();
    CLI::Option* against =
        verb->add_option("--against", options->other, "Runs or CSV files to compare with the first ones")
            ->type_name("NEW ...");
    verb->add_option("--floor", options->floor, "Further runs of BASE's configuration (A/A): how far those lie apart")
        ->type_name("RUN ...")
        ->needs(against);
    verb->add_option("-o,--output", options->output, "Write to a file (standard output otherwise)")
        ->type_name("FILE.html")
        ->check(not_empty);
    verb->add_flag("--force", options->force, "Replace an existing file");
    verb->footer("The file needs no network and no other file; it reads with scripts off, too.\n\n"
                 "Examples:\n"
                 "  snapscope report busy.snap -o busy.html\n"
                 "  snapscope report off-*.snap --against copy-*.snap -o cached.html\n"
                 "  snapscope report night.sweep -o night.html\n");
    verb->callback([&context, options] { context.action = [options] { return report_what_is_given(*options); }; });
}

} // namespace snapscope::cli
