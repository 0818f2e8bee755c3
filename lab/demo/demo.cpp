#include "demo.hpp"

#include "plan.hpp"
#include "program.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/lab/cluster.hpp>
#include <snapscope/lab/idle_connections.hpp>
#include <snapscope/lab/pgbench.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <array>
#include <ctime>
#include <fmt/format.h>
#include <set>
#include <unistd.h>

namespace snapscope::demo {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr const char* query = "SELECT 1;\n";
constexpr std::size_t spare_connections = 50;
constexpr std::size_t idle_step = 250; // of the progress line

void say(const std::string& text) {
    fmt::print(stderr, "{}\n", text);
}

// One server with its idle connections.
struct Side {
    Cluster cluster;
    IdleConnections idle;
};

Result<Side> start_side(const Options& options, std::size_t mode, const std::atomic<bool>& stop) {
    const std::string name = modes.at(mode);
    say(fmt::format("starting a server with snapshot_cache = {}", name));
    ClusterOptions wanted;
    wanted.prefix = options.prefix;
    // Rings wide enough for a collector that shares two processors with the load.
    wanted.settings = {{"snapshot_cache", name},
                       {"max_connections", std::to_string(options.idle + spare_connections)},
                       {"snapshot_event_ring_size", "4MB"}};
    auto cluster = Cluster::start(wanted);
    if (!cluster)
        return fail(cluster.error());
    const auto start = std::chrono::steady_clock::now();
    const bool terminal = ::isatty(STDERR_FILENO) == 1;
    auto idle = IdleConnections::open(
        {cluster->socket(), cluster->user(), "postgres"}, options.idle,
        [&](std::size_t open) {
            if (terminal && open % idle_step == 0)
                fmt::print(stderr, "\r\x1b[K{} of {} idle connections{}", open, options.idle,
                           open == options.idle ? "\r\x1b[K" : "");
        },
        &stop);
    if (!idle)
        return fail(idle.error());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    say(fmt::format("opened {} idle connections in {:.1f} s", options.idle, took.count()));
    return Side{std::move(*cluster), std::move(*idle)};
}

class Demo {
  public:
    Demo(const Options& options, const std::atomic<bool>& stop)
        : options_(options), stop_(stop), program_(options.snapscope, stop),
          series_(fmt::format("demo-{}-{}", std::time(nullptr), ::getpid())) {}

    Status run();

  private:
    Status prepare_output();
    Status start_sides();
    Status warm_up(const Side& side);
    Result<double> record(std::size_t mode, const fs::path& path, const std::vector<std::string>& how);
    Status measure(const Block& block);
    Status probe(std::size_t mode);
    Status tell_results();
    [[nodiscard]] std::vector<std::string> load(std::uint32_t seconds) const;
    [[nodiscard]] std::vector<std::string> runs_of(std::size_t mode) const;
    [[nodiscard]] Status unless_stopped() const { return stop_.load() ? Status(fail("interrupted")) : Status{}; }

    const Options& options_;
    const std::atomic<bool>& stop_;
    Program program_;
    std::string series_;
    fs::path script_;
    std::vector<Side> sides_;
    std::set<std::string> notes_; // of the recordings, each printed once
};

Status Demo::prepare_output() {
    std::error_code error;
    fs::create_directories(options_.output, error);
    if (error)
        return fail(fmt::format("cannot make the folder {}: {}", options_.output.string(), error.message()));
    // What an earlier demo left, so that the runs in the folder belong together.
    for (const auto& entry : fs::directory_iterator(options_.output, error)) {
        if (is_run_name(entry.path().filename().string()))
            fs::remove_all(entry.path(), error);
    }
    script_ = options_.output / "select.sql";
    return write_file_atomically(script_, query);
}

Status Demo::start_sides() {
    for (std::size_t mode = 0; mode < modes.size(); ++mode) {
        SNAPSCOPE_TRY(unless_stopped());
        auto side = start_side(options_, mode, stop_);
        if (!side)
            return fail(side.error());
        sides_.push_back(std::move(*side));
    }
    return {};
}

std::vector<std::string> Demo::load(std::uint32_t seconds) const {
    return {(options_.prefix / "bin" / "pgbench").string(),
            "-n",
            "-M",
            "prepared",
            "-c",
            "2",
            "-T",
            std::to_string(seconds),
            "-f",
            script_.string()};
}

// The first block of a fresh server is slower: it is not recorded.
Status Demo::warm_up(const Side& side) {
    Command command;
    command.argv = load(1);
    command.environment = side.cluster.environment();
    const auto workload = run_pgbench(command, 60s);
    if (!workload)
        return fail(workload.error());
    if (!workload->valid)
        return fail("the load does not run: " + (workload->notes.empty() ? "no reason given" : workload->notes[0]));
    return {};
}

// One recording of one block of load; the tps that it gave.
Result<double> Demo::record(std::size_t mode, const fs::path& path, const std::vector<std::string>& how) {
    SNAPSCOPE_TRY(unless_stopped());
    const auto& cluster = sides_.at(mode).cluster;
    std::vector<std::string> words = {"record", "--pid", std::to_string(cluster.pid()), "-o", path.string()};
    words.insert(words.end(), how.begin(), how.end());
    words.emplace_back("--");
    const auto pgbench = load(options_.block_s);
    words.insert(words.end(), pgbench.begin(), pgbench.end());
    const auto finished = program_.run(std::move(words), cluster.environment());
    if (!finished)
        return fail(finished.error());

    const auto run = read_run(path);
    if (!run)
        return fail(run.error());
    if (!run->workload || !run->workload->valid || !run->workload->tps)
        return fail(fmt::format("{}: the load gave no figures", path.string()));
    for (const auto& source : run->sources)
        if (source.state != SourceState::active && notes_.insert(source.name + source.reason).second)
            say(fmt::format("  {}: {}{}{}", source.name, source.reason, source.hint.empty() ? "" : "; ", source.hint));
    return *run->workload->tps;
}

// Durations come from the rings' events, which cost next to nothing.  Traps of
// eBPF would be part of what is timed, so it has blocks of its own.
Status Demo::measure(const Block& block) {
    const auto tps = record(block.mode, run_path(options_.output, block),
                            {"--source", "ring,sched,sql", "--events", "--pair", pair_word(series_, block)});
    if (!tps)
        return fail(tps.error());
    say(fmt::format("round {:2} of {}: {:4} {:9.0f} tps", block.round, options_.rounds, modes.at(block.mode), *tps));
    return {};
}

// A block with every source that there is.  Both servers run one binary:
// --yes says that the idle one may be probed, too.
Status Demo::probe(std::size_t mode) {
    const auto path = probes_path(options_.output, mode);
    say(fmt::format("one block of {} with every source, into {}", modes.at(mode), path.string()));
    const auto tps = record(mode, path, {"--events", "--yes"});
    return tps ? Status{} : Status(fail(tps.error()));
}

std::vector<std::string> Demo::runs_of(std::size_t mode) const {
    std::vector<std::string> paths;
    for (std::uint32_t round = 1; round <= options_.rounds; ++round)
        paths.push_back(run_path(options_.output, {mode, round, 1}).string());
    return paths;
}

Status Demo::tell_results() {
    for (std::size_t mode = 0; mode < modes.size(); ++mode)
        SNAPSCOPE_TRY(program_.print({"show", runs_of(mode).back()}));

    std::vector<std::string> diff = {"diff"};
    const auto off = runs_of(0);
    const auto copy = runs_of(1);
    diff.insert(diff.end(), off.begin(), off.end());
    diff.emplace_back("--against");
    diff.insert(diff.end(), copy.begin(), copy.end());
    SNAPSCOPE_TRY(program_.print(diff));

    const auto json = (options_.output / "diff.json").string();
    const auto trace = (options_.output / "trace.json").string();
    diff.insert(diff.end(), {"--format", "json", "-o", json, "--force"});
    if (const auto written = program_.run(diff); !written)
        return fail(written.error());
    if (const auto exported = program_.run({"export", copy.back(), "--format", "perfetto", "-o", trace, "--force"});
        !exported)
        return fail(exported.error());
    SNAPSCOPE_TRY(program_.print({"trace", "check", trace}));
    const auto report = (options_.output / "report.html").string();
    std::vector<std::string> draw = {"report"};
    draw.insert(draw.end(), off.begin(), off.end());
    draw.emplace_back("--against");
    draw.insert(draw.end(), copy.begin(), copy.end());
    draw.insert(draw.end(), {"-o", report, "--force"});
    if (const auto drawn = program_.run(std::move(draw)); !drawn)
        return fail(drawn.error());
    fmt::print("\nIn {}: a folder .snap for each block, diff.json, trace.json (for ui.perfetto.dev).\n"
               "To look at, in a browser: {}\n",
               options_.output.string(), report);
    return {};
}

Status Demo::run() {
    SNAPSCOPE_TRY(prepare_output());
    SNAPSCOPE_TRY(start_sides());
    for (const auto& side : sides_) {
        SNAPSCOPE_TRY(unless_stopped());
        SNAPSCOPE_TRY(warm_up(side));
    }
    SNAPSCOPE_TRY(program_.print({"doctor", "--pid", std::to_string(sides_.back().cluster.pid())},
                                 sides_.back().cluster.environment()));
    say(fmt::format("\n{} rounds of two blocks of {} s, order balanced", options_.rounds, options_.block_s));
    for (const auto& block : balanced_order(options_.rounds))
        SNAPSCOPE_TRY(measure(block));
    for (std::size_t mode = 0; mode < modes.size(); ++mode)
        SNAPSCOPE_TRY(probe(mode));
    for (const auto& side : sides_)
        if (side.idle.count_open() != options_.idle)
            return fail(
                fmt::format("only {} of {} idle connections stayed open", side.idle.count_open(), options_.idle));
    sides_.clear(); // the results need no server
    return tell_results();
}

} // namespace

Status run(const Options& options, const std::atomic<bool>& stop) {
    return Demo(options, stop).run();
}

} // namespace snapscope::demo
