// A stand-in for Debian's perf where no PMU is: behaves as `perf mem record -e
// list` and `perf record -o -` do, and samples what a script in REPLAY_DIR says.
//
// REPLAY_DIR/perf, a line each:
//   list TEXT             what the list of events says (stderr); none: "failed: memory events not supported"
//   refuse STATUS TEXT    record ends at once with these words
//   refuse-reads STATUS TEXT   only where samples are to state running times (events with S)
//   samples COUNT PID CPU IP ADDRESS DATA_SRC PERIOD WEIGHT ENABLED RUNNING   numbers, hex with 0x
//   late PID PARENT       its FORK comes after its samples
//   lost COUNT
//   die STATUS TEXT       it ends by itself once it has sampled
//   cut                   the stream ends inside a record
//   garbage               bytes that are no record
//   deaf                  SIGINT does nothing
// Samples begin once REPLAY_DIR/go is there; then REPLAY_DIR/done is made.  What
// it was asked and how it ended goes to REPLAY_DIR/perf.log.
#include "replay.hpp"

#include <snapscope/collector/procfs.hpp>

#include <algorithm>
#include <cstdio>
#include <perf_stream_writer.hpp>

namespace {

using namespace snapscope;
using replay::Line;

struct Asked {
    std::vector<test::WrittenEvent> events;
    bool to_stdout = false, all_cpus = false, data = false, reads = false;
};

// perf refuses options that it does not know with 129.
Asked parse(const std::vector<std::string>& arguments) {
    Asked out;
    bool monotonic = false;
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        const std::string& word = arguments[i];
        const auto value = [&] { return ++i < arguments.size() ? arguments[i] : std::string(); };
        if (word == "-e") {
            const std::string event = value();
            const bool reads = event.ends_with(":S") || event.ends_with("S");
            out.reads = out.reads || reads;
            out.events.push_back({true, reads, false, 1000});
        } else if (word == "-o") {
            out.to_stdout = value() == "-";
        } else if (word == "-k") {
            monotonic = value() == "mono";
        } else if (word == "-m" || word == "-F") {
            (void)value();
        } else if (word == "--all-cpus") {
            out.all_cpus = true;
        } else if (word == "--data") {
            out.data = true;
        } else if (word != "--weight" && word != "--timestamp" && word != "--period" && word != "--no-buildid" &&
                   word != "--no-buildid-cache" && word != "--no-bpf-event" && word != "--no-inherit" &&
                   word != "--running-time") {
            std::fprintf(stderr, "  Error: unknown option `%s'\n", word.c_str());
            std::exit(129);
        }
    }
    for (auto& event : out.events)
        event.monotonic = monotonic;
    return out;
}

void write_samples(test::PerfStreamWriter& stream, const std::vector<Line>& script) {
    for (const Line& line : script) {
        if (line.verb == "lost")
            stream.lost(line.number(0));
        if (line.verb != "samples")
            continue;
        for (std::uint64_t i = 0; i < line.number(0); ++i) {
            PerfSample sample;
            sample.pid = sample.tid = static_cast<std::uint32_t>(line.number(1));
            sample.cpu = static_cast<std::uint32_t>(line.number(2));
            sample.ip = line.number(3);
            sample.address = line.number(4);
            sample.data_src = line.number(5);
            sample.period = line.number(6);
            sample.weight = line.number(7);
            sample.running = RunningTime{line.number(8), line.number(9)};
            sample.time_ns = replay::monotonic_ns();
            stream.sample(sample);
        }
    }
    for (const Line& line : script)
        if (line.verb == "late")
            stream.forked(static_cast<std::uint32_t>(line.number(0)), static_cast<std::uint32_t>(line.number(1)));
    stream.round();
}

// As perf does before it samples: every process that there is.
void write_processes(test::PerfStreamWriter& stream, const std::vector<Line>& script) {
    const ProcFs proc;
    for (const pid_t pid : proc.pids()) {
        const bool late = std::ranges::any_of(script, [&](const Line& line) {
            return line.verb == "late" && line.number(0) == static_cast<std::uint64_t>(pid);
        });
        const auto stat = proc.stat(pid);
        if (stat && !late)
            stream.forked(static_cast<std::uint32_t>(pid), static_cast<std::uint32_t>(stat->parent));
    }
    stream.round();
}

int record(const std::vector<std::string>& arguments, const std::vector<Line>& script) {
    const Asked asked = parse(arguments);
    if (!asked.to_stdout || !asked.all_cpus || !asked.data || asked.events.empty()) {
        std::fprintf(stderr, "the replay of perf is asked for something else than it can replay\n");
        return 129;
    }
    for (const Line& line : script)
        if (line.verb == "refuse" || (line.verb == "refuse-reads" && asked.reads)) {
            std::fprintf(stderr, "%s\n", line.rest(1).c_str());
            return static_cast<int>(line.number(0));
        }
    replay::on_interrupt(replay::has(script, "deaf"));
    test::PerfStreamWriter stream(asked.events);
    write_processes(stream, script);
    replay::print(stream.take());
    while (!replay::interrupted() && !replay::is_there("go"))
        replay::nap();
    if (replay::is_there("go")) {
        write_samples(stream, script);
        std::string bytes = stream.take();
        if (replay::has(script, "cut"))
            bytes.resize(bytes.size() - 20);
        if (replay::has(script, "garbage"))
            bytes.append(64, '\x03');
        replay::print(bytes);
        replay::touch("done");
        if (const Line* death = replay::find(script, "die")) {
            std::fprintf(stderr, "%s\n", death->rest(1).c_str());
            return static_cast<int>(death->number(0));
        }
    }
    while (!replay::interrupted())
        replay::nap();
    if (!replay::has(script, "cut")) {
        stream.round();
        replay::print(stream.take());
    }
    std::fprintf(stderr, "[ perf record: Woken up 1 times to write data ]\n");
    replay::log("perf", "interrupted");
    return 0;
}

} // namespace

int main(int argc, char** argv) {
    const std::vector<std::string> arguments(argv + 1, argv + argc);
    const auto script = replay::script("perf");
    replay::log("perf", replay::joined(arguments));
    if (arguments.size() >= 2 && arguments[0] == "mem" && arguments.back() == "list") {
        if (!replay::has(script, "list")) {
            std::fprintf(stderr, "failed: memory events not supported\n");
            return 255;
        }
        for (const Line& line : script)
            if (line.verb == "list")
                std::fprintf(stderr, "%s\n", line.rest(0).c_str());
        return 0;
    }
    if (!arguments.empty() && arguments[0] == "record")
        return record(arguments, script);
    std::fprintf(stderr, "perf: '%s' is not a perf-command. See 'perf --help'.\n", replay::joined(arguments).c_str());
    return 1;
}
