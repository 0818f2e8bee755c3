// snapscope layout TARGET | RUN | --server 13 --max-connections N
#include "exit.hpp"
#include "layout_text.hpp"
#include "option_checks.hpp"
#include "target_options.hpp"
#include "verbs.hpp"

#include <snapscope/collector/live_layout.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <memory>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

constexpr std::uint32_t blocks_a_megabyte = 128;

struct VerbOptions {
    TargetSpec target;
    std::string run, server;
    ProcSettings settings;
    bool settings_given = false;
    Format format = Format::text;
};

Result<LayoutReport> computed(const VerbOptions& options) {
    if (options.server != "13" && !options.server.starts_with("13."))
        return fail("the sizes of version '" + options.server + "' are not known to this program",
                    "--server 13, or ask a live server", ErrorClass::usage);
    SNAPSCOPE_TRY(check_settings(options.settings));
    return compute_layout(options.settings);
}

Result<LayoutReport> of_run(const VerbOptions& options) {
    const auto run = read_run(options.run);
    if (!run)
        return fail(run.error());
    return layout_of_run(*run, std::filesystem::path(options.run) / "events");
}

Result<LayoutReport> live(const VerbOptions& options) {
    const auto layout = read_live_layout(options.target);
    if (!layout)
        return fail(layout.error());
    LayoutReport out;
    out.source = "live";
    out.server = layout->server.version;
    out.max_connections = layout->server.max_connections;
    out.notes = layout->notes;
    for (const LiveArray& array : layout->arrays) {
        out.arrays.push_back(
            place_array(array.name, array.address, array.stride_bytes, array.entries, array.page_bytes));
        out.arrays.back().numa_nodes = array.nodes;
        out.arrays.back().segment_offset = array.segment_offset;
        if (array.name == "PGXACT")
            out.active = describe_slots(out.arrays.back(), layout->used);
    }
    return out;
}

Result<LayoutReport> find(const VerbOptions& options) {
    if (!options.server.empty() && !options.run.empty())
        return fail("a run and --server at once", "give one", ErrorClass::usage);
    if (options.server.empty() && options.settings_given)
        return fail("settings without a version to compute from", "add --server 13", ErrorClass::usage);
    if (!options.server.empty())
        return computed(options);
    return options.run.empty() ? live(options) : of_run(options);
}

std::string render(const LayoutReport& report, Format format, const Terminal& terminal) {
    switch (format) {
    case Format::json:
        return render_json(to_json(report));
    case Format::csv:
        return layout_table(report).csv();
    case Format::markdown:
        return layout_table(report).markdown();
    case Format::text:
        break;
    }
    return layout_text(report, terminal);
}

Result<int> run_layout(const VerbOptions& options, const Terminal& terminal) {
    const auto report = find(options);
    if (!report)
        return fail(report.error());
    SNAPSCOPE_TRY(print(render(*report, options.format, terminal)));
    return exit_done;
}

void add_settings(CLI::App& verb, const std::shared_ptr<VerbOptions>& options) {
    constexpr const char* group = "Computed";
    const auto add = [&](const char* flag, std::uint32_t ProcSettings::*field, std::uint32_t low, const char* text) {
        const auto take = [options, field](std::uint32_t number) {
            options->settings.*field = number;
            options->settings_given = true;
        };
        add_number<std::uint32_t>(verb, flag, "N", low, 262143, take, text)->group(group);
    };
    verb.add_option("--server", options->server, "Of a server of that version with the settings below: 13")
        ->type_name("VERSION")
        ->check(not_empty)
        ->group(group);
    add("--max-connections", &ProcSettings::max_connections, 1, "Default 100");
    add("--autovacuum-max-workers", &ProcSettings::autovacuum_max_workers, 1, "Default 3");
    add("--max-worker-processes", &ProcSettings::max_worker_processes, 0, "Default 8");
    add("--max-wal-senders", &ProcSettings::max_wal_senders, 0, "Default 10");
    add("--max-prepared-transactions", &ProcSettings::max_prepared_transactions, 0, "Default 0");
    add("--max-locks-per-transaction", &ProcSettings::max_locks_per_transaction, 10, "Default 64");
    add("--max-pred-locks-per-transaction", &ProcSettings::max_pred_locks_per_transaction, 10, "Default 64");
    const auto pad = [options](std::uint32_t kib) { options->settings.snapshot_layout_pad_kib = kib; };
    add_number<std::uint32_t>(verb, "--snapshot-layout-pad", "KIB", 0, 1U << 22U, pad, "Default 0")->group(group);
    const auto megabytes = [options](std::uint32_t mb) { options->settings.shared_buffers = mb * blocks_a_megabyte; };
    add_number<std::uint32_t>(verb, "--shared-buffers", "MB", 1, 1U << 22U, megabytes, "Default 128")->group(group);
    const auto cache = [options](const std::string& mode) {
        options->settings.patched = true;
        options->settings.snapshot_copy = mode != "off";
    };
    verb.add_option_function<std::string>("--snapshot-cache", cache, "Of a patched server (default: a stock one)")
        ->type_name("MODE")
        ->check([](const std::string& mode) {
            const bool known = mode == "off" || mode == "copy" || mode == "spin" || mode == "lockfree";
            return known ? std::string() : "'" + mode + "' is none of off, copy, spin, lockfree";
        })
        ->group(group);
}

} // namespace

void add_layout(CLI::App& app, Context& context) {
    CLI::App* verb =
        app.add_subcommand("layout", "Where each proc entry lies: lines, straddles, pages, nodes")->group(group_model);
    auto options = std::make_shared<VerbOptions>();
    verb->add_option("RUN", options->run, "A run, instead of a live server: a folder NAME.snap")->check(not_empty);
    add_target_options(*verb, options->target);
    add_settings(*verb, options);
    add_format_option(*verb, options->format);
    verb->footer("Examples:\n"
                 "  snapscope layout --port 5433\n"
                 "  snapscope layout busy.snap\n"
                 "  snapscope layout --server 13 --max-connections 600\n");
    verb->callback([&context, options] {
        context.action = [&context, options] { return run_layout(*options, context.terminal); };
    });
}

} // namespace snapscope::cli
