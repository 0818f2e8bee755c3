// snapscope show RUN
#include "event_files.hpp"
#include "exit.hpp"
#include "show_text.hpp"
#include "verbs.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <memory>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

struct ShowOptions {
    std::string run;
    Format format = Format::text;
};

std::string render(const Summary& summary, Format format, const Terminal& terminal) {
    switch (format) {
    case Format::json:
        return render_json(to_json(summary));
    case Format::csv:
        return show_table(summary).csv();
    case Format::markdown:
        return show_table(summary).markdown();
    case Format::text:
        break;
    }
    return show_text(summary, terminal);
}

Result<int> show(const ShowOptions& options, const Terminal& terminal) {
    auto run = read_run(options.run);
    if (!run)
        return fail(run.error());
    // Nothing shown comes from the events, so what is shown stays whole (docs/contracts.md).
    if (const auto whole = check_event_files(*run, options.run); !whole)
        run->warnings.push_back("the events are damaged, the figures here are not: " + whole.error().what);
    const Summary summary = summarize(*run);
    SNAPSCOPE_TRY(print(render(summary, options.format, terminal)));
    if (options.format == Format::csv || options.format == Format::markdown)
        for (const std::string& warning : summary.warnings)
            terminal.note("warning: " + warning);
    return summary.finished ? exit_done : exit_partial;
}

} // namespace

void add_show(CLI::App& app, Context& context) {
    CLI::App* verb = app.add_subcommand("show", "What a run says, in one screen")->group(group_read);
    auto options = std::make_shared<ShowOptions>();
    verb->add_option("RUN", options->run, "A run: a folder NAME.snap")->required();
    add_format_option(*verb, options->format);
    verb->footer("Example:\n  snapscope show busy.snap --format json | jq .snapshots\n");
    verb->callback(
        [&context, options] { context.action = [&context, options] { return show(*options, context.terminal); }; });
}

} // namespace snapscope::cli
