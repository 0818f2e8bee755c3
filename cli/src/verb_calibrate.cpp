// snapscope calibrate [-o FILE]
#include "calibrate_text.hpp"
#include "exit.hpp"
#include "interrupt.hpp"
#include "option_checks.hpp"
#include "output_file.hpp"
#include "verbs.hpp"

#include <snapscope/collector/calibrate.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <unistd.h>

namespace snapscope::cli {
namespace {

struct VerbOptions {
    CalibrateOptions calibrate;
    std::string output;
    bool force = false;
    Format format = Format::text;
};

constexpr const char* examples = "Examples:\n"
                                 "  snapscope calibrate\n"
                                 "  snapscope calibrate -o cores.json\n"
                                 "  taskset -c 0,1,24 snapscope calibrate --format csv\n";

constexpr std::size_t most_pairs_ever = 1'000'000;

std::string render(const CoreLatencies& latencies, Format format, const Terminal& terminal) {
    switch (format) {
    case Format::json:
        return render_json(core_latencies_to_json(latencies));
    case Format::csv:
        return calibrate_table(latencies).csv();
    case Format::markdown:
        return calibrate_table(latencies).markdown();
    case Format::text:
        break;
    }
    return calibrate_text(latencies, terminal);
}

Result<int> run_calibrate(VerbOptions& options, const Context& context) {
    const auto& stop = catch_interrupts();
    std::optional<OutputFile> file;
    if (!options.output.empty()) { // what cannot be written is said before anything is measured
        auto created = OutputFile::create(options.output, options.force);
        if (!created)
            return fail(created.error());
        file.emplace(std::move(*created));
    }
    options.calibrate.tool_version = SNAPSCOPE_VERSION;
    const bool shown = !context.terminal.quiet && ::isatty(STDERR_FILENO) == 1;
    const auto progress = [shown](std::size_t done, std::size_t planned) {
        if (shown)
            fmt::print(stderr, "\r\x1b[Kcalibrating, step {} of {}", done + 1, planned);
    };
    const auto latencies = calibrate(options.calibrate, stop, progress);
    if (shown)
        fmt::print(stderr, "\r\x1b[K");
    if (!latencies)
        return fail(latencies.error());
    if (file) {
        SNAPSCOPE_TRY(file->write(render_json(core_latencies_to_json(*latencies))));
        SNAPSCOPE_TRY(file->commit());
    }
    SNAPSCOPE_TRY(print(render(*latencies, options.format, context.terminal)));
    if (options.format == Format::csv || options.format == Format::markdown)
        for (const auto& warning : latencies->warnings)
            context.terminal.note("warning: " + warning);
    return exit_done;
}

} // namespace

void add_calibrate(CLI::App& app, Context& context) {
    auto options = std::make_shared<VerbOptions>();
    CLI::App* verb =
        app.add_subcommand("calibrate", "What a cache line takes between the cores of this host")->group(group_record);
    verb->add_option("-o,--output", options->output, "Also write the matrix, as JSON, for simulate")
        ->type_name("FILE")
        ->check(not_empty);
    const auto pairs = [options](std::size_t most) { options->calibrate.most_pairs = most; };
    add_number<std::size_t>(*verb, "--pairs", "N", 1, most_pairs_ever, pairs,
                            "Measure a sample where there are more (default: 2016)");
    verb->add_flag("--force", options->force, "Replace an existing FILE");
    add_format_option(*verb, options->format);
    verb->footer(examples);
    verb->callback(
        [&context, options] { context.action = [&context, options] { return run_calibrate(*options, context); }; });
}

} // namespace snapscope::cli
