// snapscope diff BASE... --against NEW...
#include "diff_text.hpp"
#include "exit.hpp"
#include "option_checks.hpp"
#include "output_file.hpp"
#include "verbs.hpp"

#include <memory>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

constexpr const char* any_metric = "any";

struct DiffOptions {
    std::vector<std::string> base, other, floor;
    Format format = Format::text;
    std::string output;
    bool force = false;
    std::string fail_on_regression; // a metric, "any", or empty: no gate
};

Result<std::vector<Measurement>> load(const std::vector<std::string>& paths) {
    std::vector<Measurement> out;
    for (const std::string& path : paths) {
        auto more = load_measurements(path);
        if (!more)
            return fail(more.error());
        std::move(more->begin(), more->end(), std::back_inserter(out));
    }
    return out;
}

std::string render(const Diff& diff, Format format, const Terminal& terminal) {
    switch (format) {
    case Format::json:
        return render_json(to_json(diff));
    case Format::csv:
        return diff_table(diff).csv();
    case Format::markdown:
        return diff_table(diff).markdown();
    case Format::text:
        break;
    }
    return diff_text(diff, terminal);
}

Result<int> compare(const DiffOptions& options, Terminal terminal) {
    const auto base = load(options.base);
    if (!base)
        return fail(base.error());
    const auto other = load(options.other);
    if (!other)
        return fail(other.error());
    const auto floor = load(options.floor);
    if (!floor)
        return fail(floor.error());
    const auto result = diff(*base, *other, *floor);
    if (!result)
        return fail(result.error());
    const std::string gate = options.fail_on_regression == any_metric ? "" : options.fail_on_regression;
    if (!gate.empty() && !result->has_metric(gate))
        return fail("--fail-on-regression: the two sides have no metric '" + gate + "' in common",
                    "see the metrics that 'snapscope diff' prints", ErrorClass::usage);
    if (!options.output.empty() && terminal.color == ColorMode::automatic)
        terminal.color = ColorMode::never;
    SNAPSCOPE_TRY(write_result(options.output, options.force, render(*result, options.format, terminal)));
    if (options.format == Format::csv || options.format == Format::markdown)
        for (const std::string& warning : result->warnings)
            terminal.note("warning: " + warning);
    if (!options.fail_on_regression.empty() && result->regression(gate))
        return exit_regression;
    return result->partial ? exit_partial : exit_done;
}

} // namespace

void add_diff(CLI::App& app, Context& context) {
    CLI::App* verb = app.add_subcommand("diff", "Compare runs, e.g. uncached against cached")->group(group_compare);
    auto options = std::make_shared<DiffOptions>();
    verb->add_option("BASE", options->base, "Runs (.snap), or CSV files with a column tps, one row a run")->required();
    verb->add_option("--against", options->other, "The runs or CSV files to compare with them")
        ->required()
        ->type_name("NEW ...");
    add_format_option(*verb, options->format);
    verb->add_option("-o,--output", options->output, "Write to a file")->type_name("FILE")->check(not_empty);
    verb->add_flag("--force", options->force, "Replace an existing file");
    verb->add_option("--floor", options->floor, "Further runs of BASE's configuration (A/A): how far those lie apart")
        ->type_name("RUN ...");
    verb->add_flag("--fail-on-regression{any}", options->fail_on_regression,
                   "Exit 4 when a metric with a better direction is shown to be worse; =METRIC: that one alone")
        ->check(not_empty);
    verb->footer("Runs that alternate (their round is stored) are paired: at least 6 pairs. Others: at least 4\n"
                 "against 4. Fewer are never called a difference. Several workloads are compared each for itself.\n"
                 "--fail-on-regression holds 5 % false alarms over all metrics together; naming one finds more.\n\n"
                 "Examples:\n"
                 "  snapscope diff off-*.snap --against copy-*.snap\n"
                 "  snapscope diff before.csv --against after.csv --fail-on-regression\n");
    verb->callback(
        [&context, options] { context.action = [&context, options] { return compare(*options, context.terminal); }; });
}

} // namespace snapscope::cli
