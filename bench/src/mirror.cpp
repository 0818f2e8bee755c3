// What the mirror costs: itself, with many connections, and the server.

#include "observed_load.hpp"

#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <sys/resource.h>
#include <thread>

namespace snapscope::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t connections = 1000;
constexpr int clients = 16;
constexpr int scale = 10;

double seconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

// CPU time of children that have ended.
double ended_children_cpu_s() {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
}

struct Looks {
    double per_second = 0, thread_percent = 0, program_percent = 0;
};

double total_of(const Run& run, const std::string& name) {
    const auto found = std::ranges::find_if(
        run.totals, [&](const auto& total) { return total.source == "mirror" && total.name == name; });
    if (found == run.totals.end() || !found->value)
        give_up("the mirror recorded no " + name);
    return static_cast<double>(*found->value);
}

// One recording of the server as it is.
Looks record(const Server& server, int seconds) {
    auto folder = ScratchFolder::create();
    if (!folder)
        give_up(folder.error().message());
    Command command;
    command.argv = {SNAPSCOPE_PROGRAM,
                    "record",
                    "--pid",
                    std::to_string(server.pid()),
                    "--source",
                    "mirror",
                    "-d",
                    std::to_string(seconds),
                    "-o",
                    "run.snap",
                    "--yes"};
    command.folder = folder->path();
    const double cpu_before = ended_children_cpu_s();
    const auto ended = run_to_end(command, std::chrono::seconds(seconds) + 60s);
    const double cpu = ended_children_cpu_s() - cpu_before;
    if (!ended || ended->status != 0)
        give_up(ended ? ended->output : ended.error().message());
    const auto run = read_run(folder->path() / "run.snap");
    if (!run)
        give_up(run.error().message());
    return {total_of(*run, "samples") / seconds, 100 * total_of(*run, "sampler_cpu_ns") / 1e9 / seconds,
            100 * cpu / seconds};
}

// A load that goes on until it is out of scope, so that the recordings see slots change.
class Beside {
  public:
    explicit Beside(Server& server) {
        Command command;
        const char* prefix = std::getenv("SNAPSCOPE_PG_UNPATCHED_PREFIX");
        command.argv = {(std::filesystem::path(prefix == nullptr ? "" : prefix) / "bin/pgbench").string(),
                        "-n",
                        "-M",
                        "prepared",
                        "-N",
                        "-c",
                        std::to_string(clients),
                        "-T",
                        "3600"};
        command.environment = server.environment();
        auto process = Process::start(command);
        if (!process)
            give_up(process.error().message());
        process_.emplace(std::move(*process));
    }

  private:
    std::optional<Process> process_;
};

void await_clients(const Server& server) {
    Session session(server.conninfo());
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (session.number("SELECT count(*) FROM pg_stat_activity WHERE application_name = 'pgbench'") < clients) {
        if (std::chrono::steady_clock::now() > limit)
            give_up("the load's clients do not connect");
        std::this_thread::sleep_for(50ms);
    }
}

void measure_sampler(Report& report, Server& server) {
    const int rounds = report.pick(6, 3, 1);
    const int seconds = report.pick(10, 5, 1);
    server.hold_idle(connections - clients);
    Rounds rate;
    Rounds thread;
    Rounds program;
    {
        const Beside load(server);
        await_clients(server);
        for (int round = 0; round < rounds; ++round) {
            progress(
                fmt::format("{} connections on {}, round {} of {}", connections, server.name(), round + 1, rounds));
            const auto looks = record(server, seconds);
            rate.push_back(looks.per_second);
            thread.push_back(looks.thread_percent);
            program.push_back(looks.program_percent);
        }
    }
    server.hold_idle(0);
    const auto labels = [&](const char* what) {
        return Labels{{"part", "sampler"}, {"server", server.name()}, {"of", what}};
    };
    report.add_row(labels("looks a second"), "1/s", rate);
    report.add_row(labels("CPU of the sampling thread"), "% of a core", thread);
    report.add_row(labels("CPU of the whole program"), "% of a core", program);
}

const Settings settings{{"autovacuum", "off"}, {"max_connections", "1100"}};

// Servers of other versions, one after the other.
void measure_others(Report& report) {
    for (const auto* name : {contender::pg14, contender::pg16, contender::pg17, contender::pg18}) {
        std::vector<std::string> absent;
        auto servers = start_all({name}, settings, absent);
        if (!absent.empty()) {
            report.note(std::string(name) + " is not here");
            continue;
        }
        initialize_tables(*servers.front(), scale);
        measure_sampler(report, *servers.front());
        servers.front()->stop();
    }
}

void measure(Report& report) {
    raise_open_files_limit();
    std::vector<std::string> absent;
    auto servers = start_all({contender::unpatched, contender::debian15}, settings, absent);
    for (const auto& name : absent)
        report.note(name + " is not here");
    std::vector<Tool> tools;
    for (auto& server : servers) {
        initialize_tables(*server, scale);
        measure_sampler(report, *server);
        tools.push_back({"nothing", server->name(), "", {}});
        tools.push_back({"nothing, again", server->name(), "", {}});
        tools.push_back(mirror_tool(server->name()));
    }
    measure_others(report);
    Load load;
    load.clients = 4;
    load.seconds = report.pick(5, 3, 1); // a minute of each in all
    load.arguments = {"-N"};
    measure_observed(report, servers, tools, "simple-update", load, report.pick(12, 6, 1));
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "mirror", snapscope::bench::measure);
}
