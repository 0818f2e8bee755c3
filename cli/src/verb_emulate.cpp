// snapscope emulate --server DIR
#include "emulate_options.hpp"
#include "emulate_text.hpp"
#include "exit.hpp"
#include "interrupt.hpp"
#include "option_checks.hpp"
#include "verbs.hpp"

#include <snapscope/emulator/emulated_run.hpp>
#include <snapscope/emulator/guest_image.hpp>
#include <snapscope/emulator/model_check.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

namespace fs = std::filesystem;
using namespace emulator;

constexpr std::uint64_t most_clients = 500;
constexpr std::uint64_t most_idle = 2000;
constexpr std::uint64_t most_connections = 20000;
constexpr std::uint64_t most_transactions = 1000000;
constexpr std::uint64_t most_repeats = 100;
constexpr std::uint64_t most_seconds = 86400;

std::int64_t monotonic_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000LL + now.tv_nsec;
}

EmulatedRow row_of(const Variant& variant, const EmulateOptions& options, const Emulation& emulation,
                   const Machine& machine) {
    EmulatedRow row;
    row.server = variant.server->version;
    row.mode = variant.mode.empty() ? "n/a" : variant.mode;
    row.slot_spread = variant.spread;
    row.churned = options.emulation.churn;
    row.workload = options.emulation.workload;
    row.clients = options.emulation.clients;
    row.idle = options.emulation.idle;
    row.max_connections = max_connections_of(options.emulation);
    row.barrier_instructions = options.barrier;
    for (std::size_t i = 0; i < emulation.phases.size(); ++i) {
        PhaseTruth truth = analyse_phase(emulation.phases[i], machine.topology);
        if (i >= options.repeats) {
            row.convergence.push_back(std::move(truth));
            continue;
        }
        row.repeats.push_back(std::move(truth));
        row.transactions.push_back(emulation.loads[i].transactions.value_or(0));
    }
    return row;
}

// NAME.snap, or NAME-MODE.snap where there are several.
fs::path run_name(const EmulateOptions& options, const Variant& variant, bool several) {
    fs::path out = options.output;
    if (several)
        out.replace_filename(out.stem().string() + "-" + variant.name() + ".snap");
    return out;
}

std::string render(const std::vector<EmulatedRow>& rows, const Machine& machine, Format format,
                   const Terminal& terminal) {
    switch (format) {
    case Format::json:
        return render_json(to_json(rows, machine));
    case Format::csv:
        return emulate_table(rows).csv();
    case Format::markdown:
        return emulate_table(rows).markdown();
    case Format::text:
        break;
    }
    return emulate_text(rows, machine, terminal);
}

class Emulator {
  public:
    Emulator(EmulateOptions& options, const Terminal& terminal) : options_(options), terminal_(terminal) {}

    Result<int> run() {
        SNAPSCOPE_TRY(prepare());
        const auto variants = variants_of(servers_, options_);
        if (!variants)
            return fail(variants.error());
        if (!options_.output.empty())
            for (const Variant& variant : *variants)
                SNAPSCOPE_TRY(
                    RunFolderWriter::check(run_name(options_, variant, variants->size() > 1), options_.force));
        for (const Variant& variant : *variants)
            SNAPSCOPE_TRY(boot(variant, variants->size() > 1));
        SNAPSCOPE_TRY(print(render(rows_, *machine_, options_.format, terminal_)));
        return exit_done;
    }

  private:
    Status prepare() {
        SNAPSCOPE_TRY(take_words(options_));
        auto machine = machine_from_shape(options_.topology);
        if (!machine)
            return fail(machine.error());
        machine_ = std::move(*machine);
        if (options_.servers.empty()) {
            auto found = default_emulated_server(cache_);
            if (!found)
                return fail(found.error());
            options_.servers.push_back(std::move(*found));
        }
        for (const std::string& prefix : options_.servers) {
            auto server = describe_server(fs::absolute(prefix));
            if (!server)
                return fail(server.error());
            servers_.push_back(std::move(*server));
        }
        auto packages = provide_packages(cache_, progress_, &stop_);
        if (!packages)
            return fail(packages.error());
        packages_ = std::move(*packages);
        return {};
    }

    Status boot(const Variant& variant, bool several) {
        name_ = variant.name();
        const std::int64_t start = monotonic_ns();
        auto image = provide_image(cache_, *variant.server, progress_, &stop_);
        if (!image)
            return fail(image.error());
        EmulationOptions options = options_.emulation;
        options.mode = variant.mode;
        options.slot_spread = variant.spread;
        options.events = options_.check_model && variant.server->patched;
        const auto emulation =
            emulate({*packages_, *variant.server, *machine_, std::move(*image)}, options, progress_, &stop_);
        if (!emulation)
            return fail(emulation.error());
        rows_.push_back(row_of(variant, options_, *emulation, *machine_));
        const auto run = emulated_run(rows_.back(), *emulation, *machine_,
                                      {SNAPSCOPE_VERSION, packages_->versions, start, monotonic_ns() - start});
        if (!run)
            return fail(run.error());
        if (options.events) {
            auto check = check_model(*run, emulation->phases.front(), machine_->topology);
            if (!check)
                return fail(check.error());
            rows_.back().model = std::move(*check);
        }
        if (options_.output.empty())
            return {};
        const fs::path folder = run_name(options_, variant, several);
        SNAPSCOPE_TRY(write_emulated_run(*run, emulation->phases.front().trace, folder, options_.force));
        terminal_.note("recorded " + folder.string());
        return {};
    }

    EmulateOptions& options_;
    const Terminal& terminal_;
    const std::atomic<bool>& stop_ = catch_interrupts();
    fs::path cache_ = cache_folder();
    std::string name_ = "emulate";
    Progress progress_ = [this](std::string_view text) { terminal_.note(fmt::format("{}: {}", name_, text)); };
    std::optional<Machine> machine_;
    std::vector<ServerMap> servers_;
    std::optional<Packages> packages_;
    std::vector<EmulatedRow> rows_;
};

void add_options(CLI::App& verb, EmulateOptions& options) {
    EmulationOptions& emulation = options.emulation;
    const auto number = [&verb](const char* flag, std::uint64_t low, std::uint64_t high, std::uint64_t& to,
                                const char* words) {
        add_number<std::uint64_t>(
            verb, flag, "N", low, high, [&to](std::uint64_t value) { to = value; }, words);
    };
    verb.add_option("--server", options.servers, "Where a PostgreSQL with symbols is installed; several are compared")
        ->type_name("DIR")
        ->check(not_empty);
    verb.add_option("--topology", options.topology, "2x2, 2x4, 4x2, or with last-level caches 2x2x2 (default: 2x2)")
        ->type_name("SHAPE")
        ->check(not_empty);
    verb.add_option("--mode", options.modes, "off, copy, spin, lockfree; each also with +spread")
        ->type_name("LIST")
        ->check(not_empty);
    verb.add_flag("--slot-spread", options.spread, "snapshot_slot_spread in all modes");
    verb.add_option("--workload", options.workload, "select-only, tpcb-like, simple-update, or a pgbench script")
        ->type_name("NAME|FILE")
        ->check(not_empty);
    number("--clients", 1, most_clients, emulation.clients, "At work (default: 8)");
    number("--idle", 0, most_idle, emulation.idle, "Connections that do nothing (default: 0)");
    number("--max-connections", 1, most_connections, emulation.max_connections,
           "(default: 100, or a few more than there are)");
    number("--transactions", 1, most_transactions, options.transactions, "A client and load (default: 500)");
    number("--repeat", 1, most_repeats, options.repeats, "The load so often, in one boot (default: 1)");
    number("--barrier", least_barrier, most_barrier, options.barrier,
           "Instructions between two barriers (default: 5000)");
    verb.add_option("--converge", options.converge, "Other barriers to show beside it, or none (default: 1000,20000)")
        ->type_name("LIST")
        ->check(not_empty);
    verb.add_flag("--churn", emulation.churn, "All connections come and go first: slots are scattered");
    verb.add_flag("--check-model", options.check_model,
                  "Also record the server's events, and hold the model of simulate against each line");
    verb.add_option("--set", options.settings, "A setting of the server")->type_name("NAME=VALUE")->check(not_empty);
    add_number<std::uint64_t>(
        verb, "--limit", "SECS", 1, most_seconds,
        [&emulation](std::uint64_t value) { emulation.limit = std::chrono::seconds(value); },
        "A boot and its loads at most (default: 600)");
    verb.add_option("-o,--output", options.output, "Keep it as a run; NAME-MODE.snap where there are several")
        ->type_name("RUN.snap")
        ->check(not_empty);
    verb.add_flag("--force", options.force, "Replace existing runs");
    add_format_option(verb, options.format);
}

} // namespace

void add_emulate(CLI::App& app, Context& context) {
    CLI::App* verb =
        app.add_subcommand("emulate",
                           "A dry run on an emulated many-socket machine: every access to the lines that matter")
            ->group(group_model);
    auto options = std::make_shared<EmulateOptions>();
    add_options(*verb, *options);
    verb->footer(
        "Every figure is of the kind `emulated`: counts are exact, transfers hold for the stated barrier, and\n"
        "there are no times. QEMU and a kernel come from Debian's packages, unpacked and not installed.\n\n"
        "Examples:\n"
        "  snapscope emulate --server /opt/pg13\n"
        "  snapscope emulate --mode off,copy,lockfree,lockfree+spread --workload tpcb-like --repeat 3\n"
        "  snapscope emulate --topology 2x4 --clients 16 --idle 100 -o wide.snap\n");
    verb->callback([&context, options] {
        context.action = [&context, options] { return Emulator(*options, context.terminal).run(); };
    });
}

} // namespace snapscope::cli
