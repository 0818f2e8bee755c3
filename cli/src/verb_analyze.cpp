// snapscope analyze SWEEP | TABLE.csv
#include "analyze_text.hpp"
#include "exit.hpp"
#include "option_checks.hpp"
#include "output_file.hpp"
#include "verbs.hpp"

#include <memory>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

struct AnalyzeOptions {
    std::string input;
    Format format = Format::text;
    std::string output;
    bool force = false;
};

std::string render(const Analysis& analysis, Format format, const Terminal& terminal) {
    switch (format) {
    case Format::json:
        return render_json(to_json(analysis));
    case Format::csv:
        return analyze_table(analysis).csv();
    case Format::markdown:
        return analyze_markdown(analysis);
    case Format::text:
        break;
    }
    return analyze_text(analysis, terminal);
}

Result<int> run(const AnalyzeOptions& options, Terminal terminal) {
    const auto sweep = load_sweep(options.input);
    if (!sweep)
        return fail(sweep.error());
    const auto analysis = analyze(*sweep);
    if (!analysis)
        return fail(analysis.error());
    if (!options.output.empty() && terminal.color == ColorMode::automatic)
        terminal.color = ColorMode::never;
    SNAPSCOPE_TRY(write_result(options.output, options.force, render(*analysis, options.format, terminal)));
    if (options.format == Format::csv || options.format == Format::markdown)
        for (const std::string& warning : analysis->warnings)
            terminal.note("warning: " + warning);
    return analysis->partial ? exit_partial : exit_done;
}

} // namespace

void add_analyze(CLI::App& app, Context& context) {
    CLI::App* verb =
        app.add_subcommand("analyze", "What tps does across a sweep, and what goes with it")->group(group_compare);
    auto options = std::make_shared<AnalyzeOptions>();
    verb->add_option("SWEEP", options->input,
                     "A sweep (NAME.sweep), or a CSV table: max_connections or clients, tps, metrics")
        ->required();
    add_format_option(*verb, options->format);
    verb->add_option("-o,--output", options->output, "Write to a file")->type_name("FILE")->check(not_empty);
    verb->add_flag("--force", options->force, "Replace an existing file");
    verb->footer(
        "A table needs a column max_connections or clients and a column tps. Columns mode, series, variant,\n"
        "reconnect and those left of x tell curves apart; repeat numbers repeats; other numbers are metrics.\n\n"
        "Examples:\n"
        "  snapscope analyze night.sweep\n"
        "  snapscope analyze table.csv --format json\n");
    verb->callback(
        [&context, options] { context.action = [&context, options] { return run(*options, context.terminal); }; });
}

} // namespace snapscope::cli
