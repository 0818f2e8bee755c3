// How fast the analyzer is: line accesses a second of the coherence model
// against those of cachegrind's single cache, and events a second out of a CTF
// trace against babeltrace2 with a dummy sink.
//
// CPU time of the thread, or of the child; only what runs on several threads is
// wall-clock time, and its row says so.
#include "report.hpp"

#include <snapscope/analyzer/sharded_model.hpp>
#include <snapscope/analyzer/synthetic_load.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>
#include <snapscope/probes/abi.h>

#include <access_programs.hpp>
#include <ctime>
#include <event_fold.hpp>
#include <fmt/format.h>
#include <placement.hpp>
#include <sys/resource.h>

namespace snapscope::bench {
namespace {

using namespace std::chrono_literals;

constexpr double million = 1e6;

double thread_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double wall_seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double children_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// CPU seconds of a child, and what it printed.
std::pair<double, std::string> run_child(std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    const double before = children_seconds();
    const auto finished = run_to_end(std::move(command), 540s);
    if (!finished)
        give_up(finished.error().message());
    if (finished->status != 0)
        give_up("it failed: " + finished->output);
    return {children_seconds() - before, finished->output};
}

// ---- the model ----

// 192 clients on 2x24 without the cache, as accesses.
struct Stream {
    Topology topology = topology_from_shape("2x24").value();
    SyntheticLoad load;
    Run run;
    ProcArrays arrays;
    std::optional<LineSpace> lines;
    std::vector<Access> accesses;

    explicit Stream(std::uint64_t snapshots) {
        load.snapshots = snapshots;
        run = synthetic_run(load);
        arrays = proc_arrays_of(run).value();
        lines = LineSpace::create(AccessPrograms::regions(arrays)).value();
        expand();
    }

  private:
    void expand() {
        Interleaver interleaver;
        AccessPrograms programs(arrays, *lines, false, interleaver);
        EventFold fold(arrays.slots, std::nullopt);
        CpuPlacement cpus(topology, CpuPolicy::recorded, {});
        const auto pull = synthetic_events(load, topology, CpuPolicy::round_robin);
        const auto sink = [this](const Access& access) { accesses.push_back(access); };
        for (const Slot& slot : run.slots)
            programs.enter(slot.slot);
        std::vector<EventTraceReader::Item> items(4096);
        while (const std::size_t count = pull(items).value())
            for (const auto& item : std::span(items).first(count)) {
                if (const auto operation = fold.fold(item.event))
                    programs.run(*operation, {operation->slot, cpus.place(operation->slot, operation->cpu).value()});
                interleaver.release(fold.watermark(item.event.time_ns), sink);
            }
        interleaver.release(INT64_MAX, sink);
    }
};

double model_once(const Stream& stream, Protocol protocol, Prefetch prefetch) {
    const auto model = make_coherence_model(stream.topology, *stream.lines, protocol, prefetch);
    const double start = thread_seconds();
    model->run(stream.accesses);
    const double seconds = thread_seconds() - start;
    if (model->counts().total().accesses != stream.accesses.size())
        give_up("the model lost accesses");
    return static_cast<double>(stream.accesses.size()) / seconds / million;
}

double model_sharded(const Stream& stream, std::size_t threads) {
    const double start = wall_seconds();
    ShardedModel model(stream.topology, *stream.lines, Protocol::mesi, Prefetch::none, threads);
    for (const Access& access : stream.accesses)
        model.add(access);
    const auto counts = model.finish();
    const double seconds = wall_seconds() - start;
    if (counts.total().accesses != stream.accesses.size())
        give_up("the model lost accesses");
    return static_cast<double>(stream.accesses.size()) / seconds / million;
}

// From events to counts on one thread.
double whole_simulation(const Stream& stream) {
    SimulateOptions options;
    options.topology = stream.topology;
    options.cpus = CpuPolicy::round_robin;
    const auto pull = synthetic_events(stream.load, stream.topology, options.cpus);
    const double start = thread_seconds();
    const auto result = simulate(stream.run, pull, options);
    const double seconds = thread_seconds() - start;
    if (!result)
        give_up(result.error().message());
    return static_cast<double>(result->total.accesses) / seconds / million;
}

// ---- cachegrind ----

// "==1234== D   refs:  2,000,123  (...)"
double refs_in(const std::string& output, std::string_view name) {
    for (const std::string& line : split(output, '\n')) {
        const auto at = line.find(name);
        if (at == std::string::npos)
            continue;
        std::string digits;
        for (const char c : line.substr(at + name.size(), line.find('(') - at - name.size()))
            if (c >= '0' && c <= '9')
                digits += c;
        if (const auto number = parse_double(digits))
            return *number;
    }
    give_up("cachegrind did not count: " + output);
}

struct Refs {
    double data = 0, all = 0, seconds = 0;
};

Refs cachegrind_once(const std::string& toy, std::uint64_t loads) {
    const auto [seconds, output] = run_child({"valgrind", "--tool=cachegrind", "--cache-sim=yes",
                                              "--cachegrind-out-file=/dev/null", toy, std::to_string(loads)});
    const double data = refs_in(output, "D   refs:");
    return {data, data + refs_in(output, "I   refs:"), seconds};
}

// The difference of two lengths leaves out starting up.
Refs cachegrind(const std::string& toy, std::uint64_t loads) {
    const Refs few = cachegrind_once(toy, loads / 10);
    const Refs many = cachegrind_once(toy, loads);
    const Refs out{many.data - few.data, many.all - few.all, many.seconds - few.seconds};
    if (out.data < static_cast<double>(loads - loads / 10))
        give_up(fmt::format("cachegrind saw {} of {} loads", out.data, loads - loads / 10));
    return out;
}

void measure_model(Report& report, const std::string& toy) {
    progress("making accesses");
    const Stream stream(report.pick<std::uint64_t>(400'000, 150'000, 5'000));
    const auto rounds = report.pick(12, 6, 6);
    const auto loads = report.pick<std::uint64_t>(20'000'000, 10'000'000, 500'000);
    Rounds mesi, again, mesif, moesi, streamer, serial, two, whole, data, all;
    for (int round = 0; round < rounds; ++round) {
        progress(fmt::format("model and cachegrind, round {} of {}", round + 1, rounds));
        mesi.push_back(model_once(stream, Protocol::mesi, Prefetch::none));
        mesif.push_back(model_once(stream, Protocol::mesif, Prefetch::none));
        moesi.push_back(model_once(stream, Protocol::moesi, Prefetch::none));
        streamer.push_back(model_once(stream, Protocol::mesi, Prefetch::streamer));
        serial.push_back(model_sharded(stream, 1));
        two.push_back(model_sharded(stream, 2));
        whole.push_back(whole_simulation(stream));
        const Refs refs = cachegrind(toy, loads);
        data.push_back(refs.data / refs.seconds / million);
        all.push_back(refs.all / refs.seconds / million);
        again.push_back(model_once(stream, Protocol::mesi, Prefetch::none));
    }
    const std::string unit = "M accesses/s";
    report.add_row({{"what", "model, mesi"}}, unit, mesi);
    report.add_row({{"what", "model, mesif"}}, unit, mesif);
    report.add_row({{"what", "model, moesi"}}, unit, moesi);
    report.add_row({{"what", "model, mesi with streamer"}}, unit, streamer);
    report.add_row({{"what", "model, mesi, 1 thread, wall"}}, unit, serial);
    report.add_row({{"what", "model, mesi, 2 threads, wall"}}, unit, two);
    report.add_row({{"what", "events to counts, 1 thread"}}, unit, whole);
    report.add_row({{"what", "cachegrind, data accesses"}}, unit, data);
    report.add_row({{"what", "cachegrind, data and instructions"}}, unit, all);
    report.add_ratio(ratio_of("model / cachegrind, all its accesses", mesi, all));
    report.add_ratio(ratio_of("model / cachegrind, data accesses", mesi, data));
    report.add_ratio(ratio_of("2 threads / 1 thread, wall", two, serial));
    report.set_noise_floor(mesi, again);
    report.note(fmt::format("the model's stream: {} line accesses of {} snapshots, 192 clients on 2x24, mode off",
                            stream.accesses.size(), stream.load.snapshots));
}

// ---- events ----

constexpr std::uint32_t trace_slots = 192;

// Snapshots of 192 slots in turn; returns how many events.
std::uint64_t write_trace(const std::filesystem::path& folder, std::uint64_t events) {
    EventTraceInfo info;
    info.run_id = "0123456789abcdef0123456789abcdef";
    auto trace = EventTraceWriter::create(folder, info);
    if (!trace)
        give_up(trace.error().message());
    SyntheticLoad load;
    load.snapshots = events / 4;
    const auto topology = topology_from_shape("2x24").value();
    const auto pull = synthetic_events(load, topology, CpuPolicy::round_robin);
    std::vector<std::vector<Event>> by_slot(load.clients + load.idle + 200);
    std::vector<EventTraceReader::Item> items(1U << 16U);
    std::uint64_t count = 0;
    while (const std::size_t got = pull(items).value()) {
        for (const auto& item : std::span(items).first(got))
            by_slot.at(item.event.slot).push_back(item.event);
        count += got;
        for (std::uint32_t slot = 0; slot < by_slot.size(); ++slot) {
            if (!by_slot[slot].empty())
                if (const auto stored = trace->append(EventSource::ring, slot, by_slot[slot], 0); !stored)
                    give_up(stored.error().message());
            by_slot[slot].clear();
        }
    }
    if (const auto finished = trace->finish(); !finished)
        give_up(finished.error().message());
    return count;
}

double read_trace(const std::filesystem::path& folder, std::uint64_t events) {
    const double start = thread_seconds();
    auto reader = EventTraceReader::open(folder);
    if (!reader)
        give_up(reader.error().message());
    std::vector<EventTraceReader::Item> items(4096);
    std::uint64_t count = 0;
    for (;;) {
        const auto got = reader->read(items);
        if (!got)
            give_up(got.error().message());
        if (*got == 0)
            break;
        count += *got;
    }
    const double seconds = thread_seconds() - start;
    if (count != events)
        give_up(fmt::format("read {} of {} events", count, events));
    return static_cast<double>(count) / seconds / million;
}

void measure_events(Report& report) {
    auto scratch = ScratchFolder::create();
    if (!scratch)
        give_up(scratch.error().message());
    const auto folder = scratch->path() / "events";
    progress("writing events");
    const auto events = write_trace(folder, report.pick<std::uint64_t>(8'000'000, 3'000'000, 100'000));
    const auto rounds = report.pick(8, 6, 6);
    Rounds own, babeltrace;
    for (int round = 0; round < rounds; ++round) {
        progress(fmt::format("events, round {} of {}", round + 1, rounds));
        own.push_back(read_trace(folder, events));
        const auto [seconds, output] = run_child({"babeltrace2", "-o", "dummy", folder.string()});
        babeltrace.push_back(static_cast<double>(events) / seconds / million);
    }
    report.add_row({{"what", "event trace, this reader"}}, "M events/s", own);
    report.add_row({{"what", "event trace, babeltrace2 with a dummy sink"}}, "M events/s", babeltrace);
    report.add_ratio(ratio_of("this reader / babeltrace2", own, babeltrace));
    report.note(fmt::format("the trace: {} events of {} slots, merged by time", events, trace_slots));
}

void measure(Report& report) {
    measure_events(report);
    measure_model(report, SNAPSCOPE_CACHE_TOY);
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "analyzer", snapscope::bench::measure);
}
