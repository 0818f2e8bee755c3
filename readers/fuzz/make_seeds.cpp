// Writes seeds, one folder a fuzz target, into the folder given: published
// figures as their tools print them.
#include "case_file.hpp"
#include "perf_stream_writer.hpp"

#include <snapscope/base/files.hpp>

#include <cstdio>

namespace {

using namespace snapscope;
namespace fs = std::filesystem;

std::string perf_stream() {
    test::PerfStreamWriter writer({{}, {false, false, true, 777}});
    writer.forked(4242, 4000);
    for (const std::uint32_t event : {0U, 1U}) {
        PerfSample sample;
        sample.event = event;
        sample.pid = 4242;
        sample.address = 0x7f0012345680;
        sample.data_src = 0x629800842;
        writer.sample(sample);
    }
    writer.trace(1, "trace");
    writer.lost(3);
    writer.ended(4242, 9);
    writer.round();
    return writer.take();
}

Status make_seeds(const fs::path& folder) {
    const auto seed = [&](const char* target, const char* name, const std::string& bytes) {
        std::error_code error;
        fs::create_directories(folder / target, error);
        return write_file_atomically(folder / target / name, bytes);
    };
    SNAPSCOPE_TRY(seed("fuzz_import_pcm", "csv", test::pcm_csv({}, 3)));
    SNAPSCOPE_TRY(seed("fuzz_import_pcm", "csv-2017", test::pcm_csv({';', false, 2}, 3)));
    SNAPSCOPE_TRY(seed("fuzz_import_pcm", "screen", test::pcm_screen()));
    SNAPSCOPE_TRY(seed("fuzz_import_pcm", "links", test::case_file("h06-upi-pingpong-links.csv")));
    SNAPSCOPE_TRY(seed("fuzz_import_c2c", "report", test::c2c_report()));
    SNAPSCOPE_TRY(seed("fuzz_import_pgbench", "persistent", test::case_file("h05-pgbench-persistent.txt")));
    SNAPSCOPE_TRY(seed("fuzz_import_pgbench", "failed", test::case_file("h14-connect-failure.txt")));
    SNAPSCOPE_TRY(seed("fuzz_import_histogram", "table", test::case_file("h29-funclatency-histogram.csv")));
    SNAPSCOPE_TRY(seed("fuzz_import_histogram", "bcc", "     nsecs : count distribution\n 1024 -> 2047 : 99 |***|\n"));
    SNAPSCOPE_TRY(seed("fuzz_import_histogram", "bpftrace", "[1K, 2K)  10 |@@|\n[2K, 4K) 0 | |\n"));
    SNAPSCOPE_TRY(
        seed("fuzz_import_perf_script", "mem",
             "postgres  4242 [003] 12.000001:  100 cpu/mem-loads,ldlat=30/P:  7f0012345678 2629800842 |OP LOAD|LVL "
             "L3 hit|SNP HitM|TLB L1 or L2 hit|LCK N/A|BLK  N/A  12  55d0c0ffee GetSnapshotData+0x12 (/postgres)\n"));
    SNAPSCOPE_TRY(seed("fuzz_topology", "numactl",
                       "available: 2 nodes\nnode 0 cpus: 0 1\nnode 0 size: 100 MB\nnode 1 cpus: 2 3\nnode distances:\n"
                       "node   0   1\n  0:  10  21\n  1:  21  10\n"));
    SNAPSCOPE_TRY(seed("fuzz_topology", "lscpu", "Socket(s): 2\nNUMA node0 CPU(s): 0-1\nNUMA node1 CPU(s): 2-3\n"));
    SNAPSCOPE_TRY(seed("fuzz_import_waits", "profile", test::case_file("h10-wait-sampling-aas.csv")));
    SNAPSCOPE_TRY(seed("fuzz_pcm_live", "csv", test::pcm_csv({}, 3)));
    SNAPSCOPE_TRY(seed("fuzz_pcm_live", "csv-2017", test::pcm_csv({';', false, 2}, 3)));
    SNAPSCOPE_TRY(seed("fuzz_layout", "live",
                       R"({"arrays":[{"name":"PGXACT","address":"0x7f0012345680","stride_bytes":12,"entries":113}]})"));
    SNAPSCOPE_TRY(seed("fuzz_perf_stream", "samples", perf_stream()));
    return seed("fuzz_topology", "lscpu-p", "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n");
}

} // namespace

int main(int argc, char** argv) {
    const auto status = argc == 2 ? make_seeds(argv[1]) : fail("usage: readers_fuzz_seeds FOLDER");
    if (!status)
        std::fprintf(stderr, "%s\n", status.error().message().c_str());
    return status ? 0 : 1;
}
