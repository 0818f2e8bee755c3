// A million memory samples over a known layout: decoded, resolved to array,
// entry, field and line, and counted, against perf script printing the same
// samples.  CPU time of this thread, and of perf.
#include "report.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <ctime>
#include <fmt/format.h>
#include <hitm_stream.hpp>
#include <malloc.h>
#include <perf_stream_writer.hpp>
#include <sys/resource.h>

namespace snapscope::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::uint64_t base = 0x7f1200000000, slots = 1000;
constexpr std::uint32_t cpus = 96;
constexpr std::uint32_t postmaster = 1000, backend = 1001;
constexpr std::uint64_t hitm_local = 0x629800842, hitm_remote = hitm_local | 1ULL << 37U;
constexpr std::size_t chunk_bytes = 1U << 18U; // as the source reads its pipe
constexpr std::uint64_t chunks_a_window = 8;   // some 20 000 samples

double thread_seconds() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double children_seconds() {
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<double>(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
           static_cast<double>(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) * 1e-6;
}

AddressMap layout() {
    return AddressMap({{"PGXACT", base, 12, slots, known_fields("PGXACT"), true},
                       {"PGPROC", base + (1U << 20U), 856, slots, {}, true}});
}

std::string known_stream(std::uint64_t samples) {
    test::PerfStreamWriter writer;
    writer.forked(backend, postmaster);
    for (std::uint64_t i = 0; i < samples; ++i) {
        PerfSample one;
        one.pid = one.tid = backend;
        one.cpu = static_cast<std::uint32_t>(i % cpus);
        one.ip = 0x400000 + i % 500;
        one.time_ns = 1000 * i;
        one.address = i % 2 == 0 ? base + 12 * (i * 7 % slots) + 4 : base + (1U << 20U) + 856 * (i * 7 % slots) + 56;
        one.period = 1009;
        one.weight = 90;
        one.data_src = i % 3 == 0 ? hitm_remote : hitm_local;
        writer.sample(one);
    }
    writer.round();
    return writer.take();
}

// As the source reads its pipe, a window every so often.
void feed(HitmStream& counted, const std::string& bytes) {
    std::vector<std::optional<std::uint32_t>> nodes(cpus);
    for (std::uint32_t cpu = 0; cpu < cpus; ++cpu)
        nodes[cpu] = cpu % 2;
    counted.tally().set_nodes(std::move(nodes));
    PerfStream stream(counted);
    std::uint64_t chunks = 0;
    for (std::size_t at = 0; at < bytes.size(); at += chunk_bytes) {
        const auto chunk = std::string_view(bytes).substr(at, chunk_bytes);
        if (const auto fed = stream.feed(std::as_bytes(std::span(chunk))); !fed)
            give_up(fed.error().message());
        if (++chunks % chunks_a_window == 0)
            counted.close_window(static_cast<std::int64_t>(chunks * chunk_bytes) * 1000);
    }
}

// CPU seconds; every sample must have its place.
double decode(const std::string& bytes, std::uint64_t samples) {
    HitmStream counted(layout(), postmaster, [](std::uint32_t) { return std::optional<std::uint32_t>(); });
    const double begin = thread_seconds();
    feed(counted, bytes);
    const double took = thread_seconds() - begin;
    if (counted.in_arrays() != samples || counted.tally().all().hitm_remote != (samples + 2) / 3)
        give_up("not every sample was resolved");
    return took;
}

// Bytes of the heap that are in use once SAMPLES were counted.
double held_after(std::uint64_t samples) {
    const std::string bytes = known_stream(samples);
    const auto before = ::mallinfo2().uordblks;
    HitmStream counted(layout(), postmaster, [](std::uint32_t) { return std::optional<std::uint32_t>(); });
    feed(counted, bytes);
    return static_cast<double>(::mallinfo2().uordblks - before);
}

// Those that `import perf-script` asks for.
constexpr const char* fields = "comm,tid,cpu,time,period,event,addr,data_src,ip,sym,dso";

double print_with_perf(const std::filesystem::path& file) {
    Command command;
    command.argv = {"perf", "script", "-i", file.string(), "-F", fields};
    command.output = Command::Output::file;
    command.output_file = "/dev/null";
    const double before = children_seconds();
    const auto finished = run_to_end(std::move(command), 540s);
    if (!finished || finished->status != 0)
        give_up("perf script failed");
    return children_seconds() - before;
}

void measure(Report& report) {
    const std::uint64_t samples = report.pick<std::uint64_t>(1'000'000, 1'000'000, 10'000);
    const int rounds = report.pick(12, 6, 6);
    const std::string bytes = known_stream(samples);
    const auto scratch = ScratchFolder::create();
    if (!scratch)
        give_up(scratch.error().message());
    const auto file = scratch->path() / "perf.data";
    if (const auto written = write_file_atomically(file, bytes); !written)
        give_up(written.error().message());
    Rounds ours;
    Rounds again;
    Rounds perfs;
    for (int round = 0; round < rounds; ++round) {
        progress(fmt::format("round {} of {}", round + 1, rounds));
        ours.push_back(1e9 * decode(bytes, samples) / static_cast<double>(samples));
        perfs.push_back(1e9 * print_with_perf(file) / static_cast<double>(samples));
        again.push_back(1e9 * decode(bytes, samples) / static_cast<double>(samples));
    }
    report.add_row({{"case", "decode, resolve, count"}}, "ns of CPU a sample", ours);
    report.add_row({{"case", "perf script"}}, "ns of CPU a sample", perfs);
    report.add_ratio(ratio_of("perf script / snapscope", perfs, ours));
    report.set_noise_floor(ours, again);
    for (const std::uint64_t count : {samples / 10, samples})
        report.add_row({{"case", fmt::format("held after {} samples", count)}}, "bytes", {held_after(count)});
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "hitm", snapscope::bench::measure);
}
