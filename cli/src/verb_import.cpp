// snapscope import KIND FILE -o RUN
#include "exit.hpp"
#include "option_checks.hpp"
#include "verbs.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/readers/import.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <fmt/ranges.h>
#include <memory>

namespace snapscope::cli {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 30;
constexpr std::size_t most_side_file_bytes = std::size_t{64} << 20;

struct ImportVerbOptions {
    std::string kind, file, run, topology, layout;
    bool force = false;
};

Result<int> import_file(const ImportVerbOptions& options, const Terminal& terminal) {
    SNAPSCOPE_TRY(RunFolderWriter::check(options.run, options.force));
    ImportOptions import{options.file, SNAPSCOPE_VERSION, std::nullopt, std::nullopt};
    if (!options.topology.empty()) {
        const auto text = read_file(options.topology, most_side_file_bytes);
        if (!text)
            return fail(text.error());
        auto topology = read_topology(*text, options.topology);
        if (!topology)
            return fail(topology.error());
        import.topology = std::move(*topology);
    }
    if (!options.layout.empty()) {
        const auto text = read_file(options.layout, most_side_file_bytes);
        if (!text)
            return fail(text.error());
        auto layout = read_layout(*text, options.layout);
        if (!layout)
            return fail(layout.error());
        import.layout = std::move(*layout);
    }
    const auto text = read_file(options.file, most_bytes);
    if (!text)
        return fail(text.error());
    auto imported = import_text(options.kind, *text, import);
    if (!imported)
        return fail(imported.error());
    auto id = make_run_id();
    if (!id)
        return fail(id.error());
    imported->run.id = std::move(*id);
    auto writer = RunFolderWriter::create(options.run, imported->run, options.force);
    if (!writer)
        return fail(writer.error());
    SNAPSCOPE_TRY(writer->finish(imported->run));
    for (const std::string& warning : imported->run.warnings)
        terminal.note("warning: " + warning);
    terminal.note("wrote " + writer->folder().string());
    return imported->partial ? exit_partial : exit_done;
}

} // namespace

void add_import(CLI::App& app, Context& context) {
    CLI::App* verb =
        app.add_subcommand("import", "A run out of what another tool recorded elsewhere")->group(group_read);
    auto options = std::make_shared<ImportVerbOptions>();
    const std::vector<std::string> kinds = import_kinds();
    verb->add_option("KIND", options->kind, fmt::format("{}", fmt::join(kinds, ", ")))->required();
    verb->add_option("FILE", options->file, "Its text: pcm -csv, perf c2c report --stdio, perf script, pgbench")
        ->required();
    verb->add_option("-o,--output", options->run, "The run to write (NAME.snap)")
        ->required()
        ->type_name("RUN")
        ->check(not_empty);
    verb->add_option("--topology", options->topology, "Its machine: lscpu, lscpu -p, numactl -H or lstopo's XML")
        ->type_name("FILE")
        ->check(not_empty);
    verb->add_option("--layout", options->layout, "Its server: what `snapscope layout --format json` printed there")
        ->type_name("FILE")
        ->check(not_empty);
    verb->add_flag("--force", options->force, "Replace an existing run");
    verb->footer("Exit 3 where something was left out, is a gap, or cannot be told; the run's warnings say what.\n\n"
                 "Examples:\n"
                 "  snapscope import pcm pcm.csv -o links.snap\n"
                 "  snapscope import c2c report.txt -o c2c.snap && snapscope show c2c.snap\n"
                 "  snapscope import perf-script samples.txt --topology lscpu.txt --layout layout.json -o "
                 "mem.snap\n");
    verb->callback([&context, options] {
        context.action = [&context, options] { return import_file(*options, context.terminal); };
    });
}

} // namespace snapscope::cli
