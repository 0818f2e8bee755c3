// snapscope simulate RUN | --synthetic LOAD
#include "event_files.hpp"
#include "exit.hpp"
#include "interrupt.hpp"
#include "option_checks.hpp"
#include "simulate_text.hpp"
#include "verbs.hpp"

#include <snapscope/analyzer/synthetic_load.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

namespace snapscope::cli {
namespace {

constexpr std::uint64_t most_stride = 4096;
constexpr std::size_t most_threads = 64;

struct VerbOptions {
    std::string run, synthetic, topology, matrix;
    std::string protocol = "mesi", prefetch = "none", slots = "recorded", cpus, modes;
    SimulateOptions simulate;
    std::optional<double> cycles_per_ns;
    Format format = Format::text;
};

template <typename T> Result<T> choose(const std::string& word, const char* option, std::initializer_list<T> choices) {
    std::string list;
    for (const T choice : choices) {
        if (word == to_string(choice))
            return choice;
        list += (list.empty() ? "" : ", ") + std::string(to_string(choice));
    }
    return fail(fmt::format("{}: '{}' is none of {}", option, word, list), "", ErrorClass::usage);
}

Status take_words(VerbOptions& options) {
    SimulateOptions& out = options.simulate;
    const auto protocol = choose(options.protocol, "--protocol", {Protocol::mesi, Protocol::mesif, Protocol::moesi});
    if (!protocol)
        return fail(protocol.error());
    out.protocol = *protocol;
    const auto prefetch =
        choose(options.prefetch, "--prefetch", {Prefetch::none, Prefetch::next_line, Prefetch::streamer});
    if (!prefetch)
        return fail(prefetch.error());
    out.prefetch = *prefetch;
    const auto slots =
        choose(options.slots, "--placement",
               {SlotPolicy::recorded, SlotPolicy::scattered, SlotPolicy::contiguous, SlotPolicy::spread});
    if (!slots)
        return fail(slots.error());
    out.slots = *slots;
    // Somebody else's CPUs are not those of the machine that is asked for.
    out.cpus = options.topology.empty() ? CpuPolicy::recorded : CpuPolicy::round_robin;
    if (options.cpus.empty())
        return {};
    const auto cpus = choose(options.cpus, "--cpus",
                             {CpuPolicy::recorded, CpuPolicy::residency, CpuPolicy::round_robin, CpuPolicy::packed});
    if (!cpus)
        return fail(cpus.error());
    out.cpus = *cpus;
    return {};
}

Result<std::vector<CacheMode>> modes_of(const std::string& text) {
    std::vector<CacheMode> out;
    for (const std::string& word : split(text, ',')) {
        const auto mode =
            choose(word, "--mode", {CacheMode::off, CacheMode::copy, CacheMode::spin, CacheMode::lockfree});
        if (!mode)
            return fail(mode.error());
        out.push_back(*mode);
    }
    return out;
}

// What is modelled: a run's events or made-up ones.
class Load {
  public:
    static Result<Load> open(const VerbOptions& options) {
        if (options.run.empty() == options.synthetic.empty())
            return fail(options.run.empty() ? "nothing to model" : "a run and a synthetic load at once",
                        "give a RUN or --synthetic clients=192", ErrorClass::usage);
        Load out;
        if (!options.synthetic.empty()) {
            auto synthetic = synthetic_load_from_text(options.synthetic);
            if (!synthetic)
                return fail(synthetic.error());
            out.synthetic_ = *synthetic;
            out.run_ = synthetic_run(*synthetic);
            return out;
        }
        auto run = read_run(options.run);
        if (!run)
            return fail(run.error());
        out.run_ = std::move(*run);
        out.folder_ = options.run;
        return out;
    }

    [[nodiscard]] const Run& run() const { return run_; }
    [[nodiscard]] bool synthetic() const { return synthetic_.has_value(); }
    [[nodiscard]] CacheMode mode() const { return synthetic_->mode; }
    [[nodiscard]] bool whole() const { return synthetic() || (run_.finished && check_event_files(run_, folder_)); }

    [[nodiscard]] Result<SimulationResult> model(const SimulateOptions& options) const {
        if (!synthetic_)
            return simulate_folder(run_, folder_, options);
        auto result = simulate(run_, synthetic_events(*synthetic_, options.topology, options.cpus), options);
        if (result) {
            result->load = "synthetic: " + describe(*synthetic_);
            result->assumptions.emplace_back(
                "a made-up load in a closed loop: its order of events is that of no server");
        }
        return result;
    }

  private:
    Run run_;
    std::filesystem::path folder_;
    std::optional<SyntheticLoad> synthetic_;
};

Status take_machine(VerbOptions& options, const Load& load) {
    auto topology = !options.topology.empty() ? find_topology(options.topology)
                    : load.synthetic()        ? Result<Topology>(fail("a synthetic load has no machine of its own",
                                                                      "give --topology 2x24", ErrorClass::usage))
                                              : topology_of(load.run().host);
    if (!topology)
        return fail(topology.error());
    options.simulate.topology = std::move(*topology);
    if (load.synthetic() && options.simulate.cpus == CpuPolicy::residency)
        return fail("a synthetic load has no residency", "--cpus round-robin or packed", ErrorClass::usage);
    if (options.matrix.empty())
        return {};
    std::optional<double> cycles_per_ns = options.cycles_per_ns;
    if (!cycles_per_ns)
        cycles_per_ns = load.run().clock.ticks_per_ns;
    auto matrix = read_matrix(options.matrix, cycles_per_ns);
    if (!matrix)
        return fail(matrix.error());
    options.simulate.matrix = std::move(*matrix);
    return {};
}

// One model by itself, several with what they differ by.
std::string render(const std::vector<SimulationResult>& results, Format format, const Terminal& terminal) {
    if (format == Format::json)
        return render_json(results.size() == 1 ? to_json(results.front()) : to_json(std::span(results)));
    std::string out;
    for (const SimulationResult& result : results) {
        if (!out.empty())
            out += "\n";
        if (format == Format::text) {
            out += simulate_text(result, terminal);
            continue;
        }
        const Table table = simulate_table(result);
        out += format == Format::csv ? table.csv() : table.markdown();
    }
    if (format == Format::text)
        for (std::size_t i = 1; i < results.size(); ++i)
            out += "\n" + terminal.paint(simulate_factor(results.front(), results[i]), Tone::strong);
    return out;
}

Result<int> run_simulate(VerbOptions& options, const Terminal& terminal) {
    SNAPSCOPE_TRY(take_words(options));
    auto load = Load::open(options);
    if (!load)
        return fail(load.error());
    SNAPSCOPE_TRY(take_machine(options, *load));
    std::vector<std::optional<CacheMode>> modes{load->synthetic() ? std::optional(load->mode()) : std::nullopt};
    if (!options.modes.empty()) {
        const auto asked = modes_of(options.modes);
        if (!asked)
            return fail(asked.error());
        modes.assign(asked->begin(), asked->end());
    }
    options.simulate.stop = &catch_interrupts();
    std::vector<SimulationResult> results;
    for (const auto& mode : modes) {
        options.simulate.mode = mode;
        auto result = load->model(options.simulate);
        if (!result)
            return fail(result.error());
        results.push_back(std::move(*result));
    }
    SNAPSCOPE_TRY(print(render(results, options.format, terminal)));
    if (options.format == Format::csv || options.format == Format::markdown)
        for (const SimulationResult& result : results)
            for (const std::string& warning : result.warnings)
                terminal.note("warning: " + warning);
    return load->whole() && results.front().lost == 0 ? exit_done : exit_partial;
}

void add_options(CLI::App& verb, VerbOptions& options) {
    constexpr const char* other = "What if";
    SimulateOptions& simulate = options.simulate;
    simulate.threads = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), most_threads);
    verb.add_option("RUN", options.run, "A run with events: a folder NAME.snap")->check(not_empty);
    verb.add_option("--synthetic", options.synthetic, "A made-up steady load instead: clients=192,mode=off,...")
        ->type_name("LOAD")
        ->check(not_empty);
    verb.add_option("--protocol", options.protocol, "mesi, mesif or moesi")->type_name("NAME");
    verb.add_option("--prefetch", options.prefetch, "none, next-line or streamer")->type_name("NAME");
    verb.add_option("--matrix", options.matrix, "Latencies: a file of calibrate, or a table (FILE:MACHINE)")
        ->type_name("FILE")
        ->check(not_empty);
    add_number<double>(
        verb, "--cycles-per-ns", "X", 0.1, 20.0, [&options](double x) { options.cycles_per_ns = x; },
        "Of a table in ns (default: the run's clock, else 2.8)");
    verb.add_option("--topology", options.topology, "Another machine: 2x24, 4x8, epyc, or a file of lscpu -p or hwloc")
        ->type_name("SHAPE|FILE")
        ->check(not_empty)
        ->group(other);
    verb.add_option("--placement", options.slots, "Entries: recorded, scattered, contiguous or spread")
        ->type_name("NAME")
        ->group(other);
    verb.add_option("--cpus", options.cpus,
                    "Backends: recorded, residency, round-robin (with --topology the default) or packed")
        ->type_name("NAME")
        ->group(other);
    const auto stride = [&simulate](std::uint64_t bytes) { simulate.stride_bytes = bytes; };
    add_number<std::uint64_t>(verb, "--stride", "BYTES", 12, most_stride, stride, "Padded entries of PGXACT")
        ->group(other);
    verb.add_option("--mode", options.modes, "Other modes: off, copy, spin, lockfree; several are compared")
        ->type_name("LIST")
        ->check(not_empty)
        ->group(other);
    const auto seed = [&simulate](std::uint64_t number) { simulate.seed = number; };
    add_number<std::uint64_t>(verb, "--seed", "N", 0, ~std::uint64_t{0}, seed, "Of the scattered placement")
        ->group(other);
    const auto threads = [&simulate](std::size_t count) { simulate.threads = count; };
    add_number<std::size_t>(verb, "--threads", "N", 1, most_threads, threads, "For the model (default: all CPUs)");
    add_format_option(verb, options.format);
}

} // namespace

void add_simulate(CLI::App& app, Context& context) {
    CLI::App* verb = app.add_subcommand("simulate", "Which cache lines move, by a coherence model on a run's events")
                         ->group(group_model);
    auto options = std::make_shared<VerbOptions>();
    add_options(*verb, *options);
    verb->footer("Every figure is of the kind `modelled`.\n\n"
                 "Examples:\n"
                 "  snapscope simulate busy.snap\n"
                 "  snapscope simulate busy.snap --topology 2x24 --protocol mesif --mode off,copy\n"
                 "  snapscope simulate --synthetic clients=192 --topology 2x24 --mode off,copy\n");
    verb->callback([&context, options] {
        context.action = [&context, options] { return run_simulate(*options, context.terminal); };
    });
}

} // namespace snapscope::cli
