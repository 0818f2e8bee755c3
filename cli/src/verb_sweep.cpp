// snapscope sweep -- LOAD: a server start a point, each recorded.
#include "exit.hpp"
#include "interrupt.hpp"
#include "option_checks.hpp"
#include "target_options.hpp"
#include "verbs.hpp"

#include <snapscope/lab/process.hpp>
#include <snapscope/sweep/sweep_run.hpp>

#include <algorithm>
#include <ctime>
#include <fmt/format.h>
#include <memory>
#include <sys/random.h>
#include <unistd.h>

namespace snapscope::cli {
namespace {

constexpr std::uint32_t most_repeats = 1000;

struct VerbOptions {
    std::string max_connections, clients, modes, idle, pads; // lists, as given
    std::uint32_t repeats = 1;
    std::optional<std::uint64_t> seed;
    std::vector<std::string> servers, settings;
    std::string prepare, restart, sources, output;
    TargetSpec target;
    bool events = false, resume = false, retry_failed = false, dry_run = false, yes = false;
    std::vector<std::string> load;
};

constexpr const char* examples =
    "The order is random and balanced, and its seed is kept. A temporary server is stopped and started for each\n"
    "point on the same data. The load finds it by libpq's variables; pgbench is the server's own.\n\n"
    "Examples:\n"
    "  snapscope sweep --server /opt/pg13 --max-connections 200:1000:100 --mode off,copy --repeat 5 \\\n"
    "      --idle fill --prepare 'pgbench -i -s 20' -o night.sweep -- pgbench -n -S -c 8 -T 30\n"
    "  snapscope sweep ... -o night.sweep --resume -- pgbench -n -S -c 8 -T 30\n"
    "  snapscope sweep --port 5432 --restart ./restart.sh --max-connections 200,400 -o own.sweep -- pgbench -n -S -T "
    "60\n";

tl::unexpected<Error> usage(std::string what, std::string hint) {
    return fail(std::move(what), std::move(hint), ErrorClass::usage);
}

// NAME=VALUE; NAME defaults to `fallback` where there is no '='.
std::pair<std::string, std::string> name_and_value(const std::string& text, const std::string& fallback) {
    const auto at = text.find('=');
    return at == std::string::npos ? std::pair(fallback, text) : std::pair(text.substr(0, at), text.substr(at + 1));
}

std::uint64_t new_seed() {
    std::uint64_t seed = 0;
    if (::getrandom(&seed, sizeof seed, 0) != static_cast<ssize_t>(sizeof seed))
        seed = static_cast<std::uint64_t>(std::time(nullptr));
    return seed >> 32U; // short enough to be typed
}

// A list of words as a variable; nothing where it was not given.
Status add_words(SweepSpec& spec, const std::string& name, const std::string& option, const std::string& text) {
    if (text.empty())
        return {};
    SweepVariable variable{name, split(text, ',')};
    auto sorted = variable.values;
    std::ranges::sort(sorted);
    if (std::ranges::find(sorted, "") != sorted.end() || std::ranges::adjacent_find(sorted) != sorted.end())
        return usage(fmt::format("{} {}: an empty value, or one that stands twice", option, text), "e.g. a,b");
    spec.variables.push_back(std::move(variable));
    return {};
}

Result<SweepSpec> spec_of(const VerbOptions& options) {
    SweepSpec spec;
    spec.repeats = options.repeats;
    const bool by_clients = options.max_connections.empty();
    if (by_clients && options.clients.empty())
        return usage("nothing is swept", "give --max-connections or --clients");
    spec.x = by_clients ? "clients" : "max_connections";
    const auto xs = parse_values(by_clients ? options.clients : options.max_connections,
                                 by_clients ? "--clients" : "--max-connections");
    if (!xs)
        return fail(xs.error());
    spec.xs.assign(xs->begin(), xs->end());
    if (!by_clients && !options.clients.empty()) {
        const auto clients = parse_values(options.clients, "--clients");
        if (!clients)
            return fail(clients.error());
        SweepVariable variable{"clients", {}};
        for (const auto value : *clients)
            variable.values.push_back(std::to_string(value));
        spec.variables.push_back(std::move(variable));
    }
    SNAPSCOPE_TRY(add_words(spec, "idle", "--idle", options.idle));
    SNAPSCOPE_TRY(add_words(spec, "snapshot_layout_pad", "--pad", options.pads));
    if (options.servers.size() > 1) {
        SweepVariable variable{"server", {}};
        for (const auto& server : options.servers)
            variable.values.push_back(name_and_value(server, server).first);
        spec.variables.push_back(std::move(variable));
    }
    if (!options.modes.empty()) {
        SweepSpec words;
        SNAPSCOPE_TRY(add_words(words, "mode", "--mode", options.modes));
        spec.modes = words.variables.front().values;
    }
    return spec;
}

std::vector<std::string> target_words(const TargetSpec& target) {
    std::vector<std::string> words;
    const auto add = [&](const char* option, const auto& value) {
        if (value)
            words.insert(words.end(), {option, fmt::format("{}", *value)});
    };
    add("--pid", target.pid);
    add("--pgdata", target.pgdata);
    add("--port", target.port);
    add("--host", target.host);
    add("--dsn", target.dsn);
    return words;
}

Status check(const VerbOptions& options) {
    SNAPSCOPE_TRY(check_target(options.target));
    const bool existing = !options.restart.empty();
    if (existing == !options.servers.empty())
        return usage("a sweep restarts a server", "give either --server DIR, or TARGET with --restart COMMAND");
    if (existing && !options.prepare.empty())
        return usage("--prepare goes with --server", "prepare the server's data beforehand");
    if (existing && options.target.pid)
        return usage("--pid names a server until it is restarted", "use --port or --pgdata");
    if (options.output.empty() && !options.dry_run)
        return usage("-o is missing", "give -o NAME.sweep");
    if (options.retry_failed && !options.resume)
        return usage("--retry-failed needs --resume", "");
    return {};
}

Result<SweepOptions> sweep_options(const VerbOptions& options) {
    auto spec = spec_of(options);
    if (!spec)
        return fail(spec.error());
    SweepOptions out;
    out.spec = std::move(*spec);
    out.folder = options.output;
    out.resume = options.resume;
    out.retry_failed = options.retry_failed;
    out.load = options.load;
    out.snapscope = "/proc/self/exe";
    out.tool_version = SNAPSCOPE_VERSION;
    if (!options.sources.empty())
        out.record_options = {"--source", options.sources};
    if (options.events)
        out.record_options.emplace_back("--events");
    if (options.yes)
        out.record_options.emplace_back("--yes");
    std::error_code error;
    if (auto own = std::filesystem::read_symlink("/proc/self/exe", error); !error)
        out.snapscope = std::move(own);
    out.make_server = [options, x = out.spec.x](const std::string& name) -> Result<std::unique_ptr<BenchServer>> {
        if (!options.restart.empty())
            return existing_server({target_words(options.target), options.restart});
        TemporaryServerOptions wanted;
        wanted.x = x;
        wanted.prepare = options.prepare;
        for (const auto& setting : options.settings)
            wanted.settings.push_back(name_and_value(setting, ""));
        for (const auto& server : options.servers)
            if (const auto [label, prefix] = name_and_value(server, server); name.empty() || label == name)
                wanted.prefix = prefix;
        return temporary_server(std::move(wanted));
    };
    return out;
}

std::string time_text(double seconds) {
    if (seconds < 90)
        return fmt::format("{:.0f} s", seconds);
    return seconds < 5400 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

class Teller {
  public:
    explicit Teller(const Terminal& terminal, std::string x) : terminal_(terminal), x_(std::move(x)) {}
    void operator()(const SweepProgress& now) {
        if (now.point.state == PointState::planned)
            return;
        const auto result = now.point.state == PointState::failed ? "failed: " + now.point.reason
                            : now.tps                             ? fmt::format("{} tps", number(*now.tps, 6))
                                                                  : std::string("done");
        const auto left =
            now.remaining_s && now.ended < now.all ? ", about " + time_text(*now.remaining_s) + " left" : "";
        terminal_.note(fmt::format("{} of {}: {}: {}{}", now.ended, now.all, describe(now.point, x_), result, left));
    }

  private:
    const Terminal& terminal_;
    std::string x_;
};

Result<int> show_plan(const SweepOptions& options) {
    std::string text = fmt::format("{} points, seed {}; load: {}\n", plan_points(options.spec).size(),
                                   options.spec.seed, command_line(options.load));
    for (const auto& point : plan_points(options.spec))
        text += fmt::format("{:5}  {}\n", point.order, describe(point, options.spec.x));
    SNAPSCOPE_TRY(print(text));
    return exit_done;
}

Result<int> run_sweep_verb(const VerbOptions& options, const Context& context) {
    SNAPSCOPE_TRY(check(options));
    auto wanted = sweep_options(options);
    if (!wanted)
        return fail(wanted.error());
    if (options.seed)
        wanted->spec.seed = *options.seed;
    else if (!options.resume)
        wanted->spec.seed = new_seed();
    else if (const auto there = read_sweep_file(options.output); there)
        wanted->spec.seed = there->seed;
    else
        return fail(there.error());
    if (options.dry_run)
        return show_plan(*wanted);

    Teller tell(context.terminal, wanted->spec.x);
    const auto outcome = run_sweep(*wanted, catch_interrupts(), [&](const SweepProgress& now) { tell(now); });
    if (!outcome)
        return fail(outcome.error());
    std::size_t done = 0, failed = 0;
    for (const auto& point : outcome->sweep.points) {
        done += point.state == PointState::done ? 1 : 0;
        failed += point.state == PointState::failed ? 1 : 0;
    }
    for (const auto& warning : outcome->sweep.warnings)
        context.terminal.note("warning: " + warning);
    context.terminal.note(fmt::format("{}: {} of {} points done, {} failed{}", options.output, done,
                                      outcome->sweep.points.size(), failed,
                                      outcome->interrupted ? "; go on with --resume" : ""));
    return done == outcome->sweep.points.size() ? exit_done : exit_partial;
}

} // namespace

void add_sweep(CLI::App& app, Context& context) {
    auto options = std::make_shared<VerbOptions>();
    CLI::App* verb =
        app.add_subcommand("sweep", "Record a load at many values of max_connections")->group(group_compare);
    const auto add = [&](const char* flag, std::string& to, const char* type, const char* what) {
        verb->add_option(flag, to, what)->type_name(type)->check(not_empty);
    };
    add("--max-connections", options->max_connections, "A:B:STEP|LIST", "What is swept");
    add("--clients", options->clients, "A:B:STEP|LIST", "Of the load; swept where max_connections is not");
    add("--mode", options->modes, "LIST", "Values of snapshot_cache, e.g. off,copy");
    add("--idle", options->idle, "LIST", "Idle connections: numbers, or fill: all that are left");
    add("--pad", options->pads, "LIST", "Values of snapshot_layout_pad, in kB");
    add_number<std::uint32_t>(
        *verb, "--repeat", "N", 1, most_repeats, [options](std::uint32_t n) { options->repeats = n; },
        "Starts of each point (default: 1)");
    add_number<std::uint64_t>(
        *verb, "--seed", "N", 0, UINT64_MAX, [options](std::uint64_t n) { options->seed = n; },
        "Of the order (default: a new one)");
    verb->add_option("--server", options->servers, "An installed PostgreSQL; given again, they are compared")
        ->type_name("[NAME=]DIR")
        ->check(not_empty)
        ->allow_extra_args(false);
    verb->add_option("--set", options->settings, "A setting of every temporary server, e.g. shared_buffers=1GB")
        ->type_name("NAME=VALUE")
        ->check([](const std::string& text) {
            return text.find('=') == std::string::npos || text.front() == '=' ? "'" + text + "' is no NAME=VALUE" : "";
        })
        ->allow_extra_args(false);
    add("--prepare", options->prepare, "COMMAND", "Run once on a temporary server's data, e.g. 'pgbench -i -s 20'");
    add("--restart", options->restart, "COMMAND",
        "Restarts TARGET for a point: SNAPSCOPE_X, SNAPSCOPE_MODE, ... say which");
    add_target_options(*verb, options->target);
    add("--source", options->sources, "LIST", "Only these sources, e.g. ring,sql");
    verb->add_flag("--events", options->events, "Keep events: what a snapshot took, without a trap (large)");
    add("-o,--output", options->output, "NAME.sweep", "The sweep");
    verb->add_flag("--resume", options->resume, "Go on with a sweep that was interrupted");
    verb->add_flag("--retry-failed", options->retry_failed, "With --resume: also points that failed");
    verb->add_flag("--yes", options->yes, "Probe a binary that other clusters run too");
    verb->add_flag("--dry-run", options->dry_run, "Print the plan, start nothing");
    verb->add_option("LOAD", options->load, "After --: the load of each point")->required();
    verb->footer(examples);
    verb->callback(
        [&context, options] { context.action = [&context, options] { return run_sweep_verb(*options, context); }; });
}

} // namespace snapscope::cli
