#include "each_apart.hpp"
#include "exit.hpp"
#include "interrupt.hpp"
#include "option_checks.hpp"
#include "record_targets.hpp"
#include "verbs.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/record.hpp>

#include <cmath>
#include <fmt/format.h>
#include <unistd.h>

namespace snapscope::cli {
namespace {

struct VerbOptions {
    RecordOptions record;
    RecordTargets targets;
    std::string output;
    std::string sources;
    std::string pairing;
};

constexpr double shortest_s = 0.001;
constexpr double longest_s = 365.0 * 24 * 3600;
constexpr int shortest_interval_ms = 10;
constexpr int longest_interval_ms = 3'600'000;
constexpr int highest_mirror_hz = 10'000;
constexpr int usual_return_limit_s = 60;
constexpr int longest_return_limit_s = 7 * 24 * 3600;

constexpr double least_overhead = 0.01;
constexpr double most_overhead = 100;

constexpr const char* examples = "Examples:\n"
                                 "  snapscope record -d 10\n"
                                 "  snapscope record --port 5433 --events -o cached.snap -- pgbench -c 8 -T 30\n"
                                 "  snapscope record --source ring,sql --interval 200\n"
                                 "  snapscope record --source ring,watch --watch lock,slot:12:xid -d 10\n"
                                 "  snapscope record --port 5433 --port 5434 -d 60 -o both.snap\n";

// SERIES:ROUND:POSITION; the series may hold colons.
Result<Pairing> parse_pairing(const std::string& text) {
    const auto last = text.rfind(':');
    const auto middle = last == std::string::npos || last == 0 ? std::string::npos : text.rfind(':', last - 1);
    if (middle != std::string::npos && middle > 0) {
        const auto round = parse_integer<std::uint32_t>(text.substr(middle + 1, last - middle - 1));
        const auto position = parse_integer<std::uint32_t>(text.substr(last + 1));
        if (round && position)
            return Pairing{text.substr(0, middle), *round, *position};
    }
    return fail("--pair " + text + " is not SERIES:ROUND:POSITION", "e.g. --pair cached-or-not:3:1", ErrorClass::usage);
}

class ProgressLine {
  public:
    explicit ProgressLine(bool shown) : shown_(shown) {}
    void show(const RecordProgress& now) {
        if (!shown_)
            return;
        const auto rate = now.snapshots_per_s ? fmt::format(", {} snapshots/s",
                                                            grouped(static_cast<std::uint64_t>(*now.snapshots_per_s)))
                                              : std::string();
        fmt::print(stderr, "\r\x1b[Krecording, {:.0f} s{}", now.elapsed_s, rate);
        drawn_ = true;
    }
    void clear() const {
        if (drawn_)
            fmt::print(stderr, "\r\x1b[K");
    }

  private:
    bool shown_;
    bool drawn_ = false;
};

void note_sources(const Run& run, const Context& context) {
    for (const auto& source : run.sources) {
        const auto hint = source.hint.empty() ? "" : "; " + source.hint;
        if (source.state != SourceState::active)
            context.terminal.note(fmt::format("{}: {}: {}{}", source.name,
                                              source.state == SourceState::degraded ? "degraded" : "unavailable",
                                              source.reason, hint));
    }
    for (const auto& warning : run.warnings)
        context.terminal.note("warning: " + warning);
}

void note_load(const Run& run, const Context& context) {
    if (!run.workload || run.workload->exit_status.value_or(0) == 0)
        return;
    context.terminal.note(fmt::format("the load ended with exit status {}", *run.workload->exit_status));
    for (const auto& note : run.workload->notes)
        context.terminal.note(note);
}

Result<int> record_one(RecordOptions options, const Context& context, bool alone) {
    options.on_load = kill_on_second_interrupt;
    ProgressLine line(alone && !context.terminal.quiet && ::isatty(STDERR_FILENO) == 1);
    options.note = [&](const std::string& text) {
        line.clear();
        context.terminal.note(text);
    };
    const auto outcome = record(options, catch_interrupts(), [&](const RecordProgress& now) { line.show(now); });
    line.clear();
    if (!outcome)
        return fail(outcome.error());
    SNAPSCOPE_TRY(print(outcome->load_output));
    fmt::print(stderr, "{}", outcome->load_errors);
    note_sources(outcome->run, context);
    note_load(outcome->run, context);
    context.terminal.note("recorded " + outcome->folder.string());
    if (outcome->load_failed)
        return exit_failed;
    return outcome->partial ? exit_partial : exit_done;
}

// Each server into a run of its own, all at once; every line on stderr says of which.
Result<int> record_several(const RecordOptions& options, const std::vector<TargetSpec>& specs, const Context& context) {
    if (!options.load.empty())
        return fail("a load belongs to one server, and several are to be recorded",
                    "run it beside the recording, and end that with -d", ErrorClass::usage);
    if (options.pairing)
        return fail("--pair places one run, and several are to be recorded", "record one server at a time",
                    ErrorClass::usage);
    std::vector<std::function<int()>> work;
    for (const TargetSpec& spec : specs) {
        RecordOptions one = options;
        one.target = spec;
        one.output = numbered(options.output, work.size() + 1);
        SNAPSCOPE_TRY(check_record(one));
        work.emplace_back([one, spec, &context] {
            Context labelled = context;
            labelled.terminal.label = name_of(spec);
            const auto code = record_one(one, labelled, false);
            if (code)
                return *code;
            Error error = code.error();
            error.what = labelled.terminal.label + ": " + error.what;
            return report(error);
        });
    }
    return exit_of_all(run_each_apart(work));
}

Result<int> run_record(VerbOptions& options, const Context& context) {
    RecordOptions& record_options = options.record;
    if (!options.pairing.empty()) {
        auto pairing = parse_pairing(options.pairing);
        if (!pairing)
            return fail(pairing.error());
        record_options.pairing = std::move(*pairing);
    }
    if (!options.sources.empty())
        record_options.sources = split(options.sources, ',');
    record_options.output = options.output.empty() ? default_run_name() : options.output;
    record_options.tool_version = SNAPSCOPE_VERSION;
    const auto specs = target_specs(options.targets);
    if (!specs)
        return fail(specs.error());
    if (specs->size() > 1)
        return record_several(record_options, *specs, context);
    record_options.target = specs->front();
    return record_one(record_options, context, true);
}

} // namespace

void add_record(CLI::App& app, Context& context) {
    auto options = std::make_shared<VerbOptions>();
    RecordOptions& record_options = options->record;
    CLI::App* verb =
        app.add_subcommand("record", "Record a running server into a run, or several")->group(group_record);
    add_record_targets(*verb, options->targets);
    const auto duration = [&record_options](double seconds) {
        record_options.duration = std::chrono::nanoseconds(std::llround(seconds * 1e9));
    };
    const auto mirror_hz = [&record_options](int hz) { record_options.mirror_hz = hz; };
    const auto interval = [&record_options](int ms) { record_options.interval = std::chrono::milliseconds(ms); };
    add_number<double>(*verb, "-d,--duration", "SECS", shortest_s, longest_s, duration,
                       "Stop after so many seconds (else: Ctrl-C)");
    verb->add_option("-o,--output", options->output,
                     "The run (default: snapscope-DATE-TIME.snap); of several, RUN-1.snap, RUN-2.snap, ...")
        ->type_name("RUN.snap")
        ->check(not_empty);
    verb->add_option("--source", options->sources, "Only these, e.g. ring,sql (default: every available one)")
        ->type_name("LIST")
        ->check(not_empty);
    add_number<int>(*verb, "--interval", "MS", shortest_interval_ms, longest_interval_ms, interval,
                    "Length of a window (default: 1000)");
    verb->add_flag("--events", record_options.events, "Also record every event, as a trace");
    add_number<int>(*verb, "--mirror-hz", "HZ", 1, highest_mirror_hz, mirror_hz,
                    "Looks of the mirror a second (default: 1000)");
    verb->add_flag("--map", record_options.map, "Let the mirror map shared memory, where that cannot hurt the server");
    verb->add_option("--watch", record_options.watch,
                     "Words for the source watch, e.g. lock,slot:12:xid,slot:12:xmin (default: those of taken slots "
                     "in turn)")
        ->type_name("LIST")
        ->check(not_empty);
    const auto overhead = [&record_options](double percent) { record_options.overhead = percent / 100; };
    add_percent(*verb, "--overhead", least_overhead, most_overhead, overhead,
                "Server CPU time that traps of ebpf and watch may take (default: 2%)");
    verb->add_flag("--yes", record_options.yes, "Probe a binary that other clusters run too");
    const auto return_limit = [&record_options](int s) { record_options.return_limit = std::chrono::seconds(s); };
    record_options.return_limit = std::chrono::seconds(usual_return_limit_s);
    add_number<int>(*verb, "--return-limit", "SECS", 0, longest_return_limit_s, return_limit,
                    "How long to wait for a server that has ended to come back (default: 60)");
    verb->add_flag("--force", record_options.force, "Replace an existing run");
    verb->add_option("--pair", options->pairing, "Place of this run in an alternating series")
        ->type_name("SERIES:ROUND:POSITION")
        ->check(not_empty);
    verb->add_option("LOAD", record_options.load, "After --: a command to run; the recording ends with it");
    verb->footer(examples);
    verb->callback(
        [&context, options] { context.action = [&context, options] { return run_record(*options, context); }; });
}

} // namespace snapscope::cli
