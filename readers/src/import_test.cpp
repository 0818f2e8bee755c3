// Files of other tools as runs that the rest takes.
#include "case_file.hpp"

#include <snapscope/readers/import.hpp>
#include <snapscope/readers/perf_script.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using test::case_file;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

Imported import(const char* kind, const std::string& text, std::optional<MachineTopology> topology = std::nullopt) {
    auto out = import_text(kind, text, {"file", "0.1.0", std::move(topology)});
    EXPECT_TRUE(out) << out.error().message();
    if (!out)
        return {};
    out->run.id = std::string(32, 'a');
    const auto read = run_from_json(run_to_json(out->run));
    EXPECT_TRUE(read) << "a run that nobody could read: " << read.error().message();
    return std::move(*out);
}

std::optional<std::int64_t> total(const Run& run, const std::string& name) {
    for (const Total& one : run.totals)
        if (one.name == name)
            return one.value;
    ADD_FAILURE() << "no total " << name;
    return std::nullopt;
}

TEST(Import, PgbenchOfBothKinds) {
    const Imported persistent = import("pgbench", case_file("h05-pgbench-persistent.txt"));
    EXPECT_EQ(persistent.run.workload->tps, 18419.581888);
    EXPECT_FALSE(persistent.partial);
    EXPECT_FALSE(persistent.run.workload->exit_status);
    EXPECT_THAT(persistent.run.warnings, Not(Contains(HasSubstr("clients / latency"))));
    const Imported reconnecting = import("pgbench", case_file("h05-pgbench-reconnect.txt"));
    EXPECT_EQ(reconnecting.run.workload->tps, 388.651729);
    EXPECT_TRUE(reconnecting.run.workload->reconnect);
    const Imported failed = import("pgbench", case_file("h14-connect-failure.txt"));
    EXPECT_FALSE(failed.run.workload->valid);
    EXPECT_FALSE(failed.run.workload->tps);
    EXPECT_TRUE(failed.partial);
}

TEST(Import, PgbenchIsHeldAgainstLittlesLaw) {
    const auto law = nlohmann::json::parse(case_file("h28-atomic-retry-and-littles-law.json"))["littles_law"];
    const std::string text =
        fmt::format("number of clients: {}\nlatency average = {} ms\ntps = {} (including connections "
                    "establishing)\ntps = {} (excluding connections establishing)\n",
                    law["clients"].get<int>(), law["latency_avg_ms"].get<double>(), law["tps"][0].get<double>(),
                    law["tps"][1].get<double>());
    EXPECT_THAT(import("pgbench", text).run.warnings, Not(Contains(HasSubstr("clients / latency"))));
    EXPECT_THAT(import("pgbench", test::replaced(text, "400.487", "410")).run.warnings,
                Contains(HasSubstr("clients / latency")));
}

TEST(Import, C2cReportWithItsLines) {
    const Imported found = import("c2c", test::c2c_report());
    EXPECT_FALSE(found.partial);
    EXPECT_EQ(total(found.run, "hitm_samples_remote"), 12757);
    EXPECT_EQ(total(found.run, "llc_miss_samples"), 22274);
    ASSERT_EQ(found.run.matrices.size(), 2U);
    EXPECT_EQ(found.run.matrices[0].by, "line");
    EXPECT_EQ(found.run.matrices[0].readers[0], "0x602180");
    EXPECT_EQ(found.run.matrices[0].counts[1], 9834);
    EXPECT_EQ(found.run.matrices[1].readers[0], "0x602180+0x0 read_write_func");
    EXPECT_NEAR(found.run.matrices[1].counts[1], 0.6551 * 9834, 0.01);
}

TEST(Import, AProcessorWithoutHitmIsUnavailableNotQuiet) {
    const Imported found = import("c2c", "Trace Event Information\n  Total records : 222447\n  Loads - Miss : 12107\n"
                                         "  Load Local HITM : 0\n  Load Remote HITM : 0\n");
    EXPECT_EQ(found.run.sources[0].state, SourceState::unavailable);
    EXPECT_THAT(found.run.sources[0].reason, HasSubstr("reports none"));
    EXPECT_FALSE(total(found.run, "hitm_samples_remote"));
    EXPECT_TRUE(found.partial);
}

TEST(Import, PcmRowsAreWindowsAndGapsAreNull) {
    const Imported whole = import("pcm", test::pcm_csv({}, 4) + "\n");
    EXPECT_FALSE(whole.partial);
    EXPECT_EQ(whole.run.windows.end_ns.back(), 4'000'000'000);
    EXPECT_EQ(whole.run.clock.wall_start, "2024-05-01T11:59:59.000000000Z");
    EXPECT_EQ(total(whole.run, "upi_in_bytes"), (4.5 + 104.5 + 204.5 + 304.5) * 1e6);
    const Imported gap = import("pcm", test::replaced(test::pcm_csv({}, 4), "104.5", "-1.00"));
    EXPECT_FALSE(total(gap.run, "upi_in_bytes")) << "a sum with a hole is none";
    EXPECT_TRUE(gap.partial);
    EXPECT_EQ(gap.run.sources[0].state, SourceState::degraded);
}

// Samples of the decoded words, on CPUs 0 and 4, at three lines.
std::string perf_script() {
    std::string out = "# header\n";
    const auto add = [&](int cpu, const char* address, const char* word, const char* words, const char* symbol) {
        out += fmt::format(
            "postgres  4242 [{:03}] {}.000001:  100 cpu/mem-loads,ldlat=30/P:  {} {} |{}|TLB L1 or L2 hit|LCK "
            "N/A|BLK  N/A  12  55d0c0ffee {}+0x12 (/usr/bin/postgres)\n",
            cpu, 10 + cpu, address, word, words, symbol);
    };
    for (int i = 0; i < 3; ++i)
        add(0, "7f0012345678", "629800842", "OP LOAD|LVL L3 hit|SNP HitM", "GetSnapshotData");
    add(4, "7f0012345640", "2629800842", "OP LOAD|LVL L3 hit|SNP HitM", "GetSnapshotData");
    add(4, "7f00aaaa0000", "2629800842", "OP LOAD|LVL L3 hit|SNP HitM", "ProcArrayEndTransaction");
    add(4, "7f00aaaa0000", "1a49081042", "OP LOAD|LVL RAM hit|SNP N/A", "GetSnapshotData");
    return out;
}

TEST(Import, PerfScriptByLineFunctionAndSocket) {
    const auto topology =
        read_topology("# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n4,1,1,1,,1,1,1,1\n", "t");
    ASSERT_TRUE(topology) << topology.error().message();
    const Imported found = import("perf-script", perf_script(), *topology);
    EXPECT_FALSE(found.partial) << testing::PrintToString(found.run.warnings);
    EXPECT_EQ(total(found.run, "load_samples"), 6);
    EXPECT_EQ(total(found.run, "hitm_samples_local"), 3);
    EXPECT_EQ(total(found.run, "hitm_samples_remote"), 2);
    EXPECT_EQ(total(found.run, "hitm_events_remote"), 200);
    EXPECT_EQ(found.run.matrices[0].by, "line");
    EXPECT_EQ(found.run.matrices[0].readers.size(), 2U);
    bool by_socket = false;
    for (const Matrix& matrix : found.run.matrices)
        by_socket = by_socket || matrix.by == "socket";
    EXPECT_TRUE(by_socket);
    EXPECT_EQ(found.run.host.cpus.size(), 2U);
}

TEST(Import, PerfScriptMutationsLoseSamplesAndSaySo) {
    const std::string whole = perf_script();
    const auto all = read_perf_script(whole, "x").value();
    EXPECT_EQ(all.contradictions, 0U);
    EXPECT_TRUE(all.has_period);
    const auto cut = read_perf_script(whole.substr(0, whole.size() - 9), "x").value();
    EXPECT_EQ(cut.samples, all.samples - 1);
    EXPECT_EQ(cut.lines_lost, 1U);
    const auto odd = read_perf_script(whole + "garbage here\n", "x").value();
    EXPECT_EQ(odd.lines_lost, 1U);
    EXPECT_EQ(odd.samples, all.samples);
    const auto lie = read_perf_script(test::replaced(whole, "OP LOAD|LVL RAM", "OP STORE|LVL RAM"), "x").value();
    EXPECT_EQ(lie.contradictions, 1U);
    EXPECT_FALSE(read_perf_script("hello\n", "x"));
    for (std::size_t length = 0; length < whole.size(); length += 3)
        if (const auto some = read_perf_script(std::string_view(whole).substr(0, length), "x")) {
            EXPECT_LE(some->samples, all.samples);
        }
}

TEST(Import, AProfileNamesItsOwnHotSpot) {
    const auto profile = nlohmann::json::parse(case_file("h19-xid-in-snapshot-profile.json"));
    std::string text;
    int number = 0;
    const auto add = [&](const std::string& symbol, int count) {
        for (int i = 0; i < count; ++i)
            text +=
                fmt::format("postgres 4242 [000] 12.{:06}: 250000 cpu-clock:  55d0c0ffee {}+0x12 (/usr/bin/postgres)\n",
                            ++number, symbol);
    };
    for (const auto& row : profile["profile_percent"])
        add(row[0].get<std::string>(), static_cast<int>(row[1].get<double>() * 10));
    add("other", 300);
    add("GetSnapshotData", 3);
    const Imported found = import("perf-script", text);
    EXPECT_THAT(found.run.warnings, Contains(HasSubstr("the hot spot is XidInMVCCSnapshot, not GetSnapshotData")));
    EXPECT_EQ(found.run.sources[0].name, "perf");
}

TEST(Import, KindsAreNamed) {
    const auto unknown = import_text("vtune", "x", {"file", "", std::nullopt});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().error_class, ErrorClass::usage);
    EXPECT_THAT(unknown.error().hint, HasSubstr("perf-script"));
    EXPECT_EQ(import("histogram", case_file("h29-funclatency-histogram.csv")).run.histograms[0].counts[0], 995030U);
}

std::string numactl(const nlohmann::json& machine) {
    std::string out = fmt::format("available: {} nodes\n", machine["nodes"].size());
    std::size_t index = 0;
    for (const auto& [node, cpus] : machine["nodes"].items()) {
        out += fmt::format("node {} cpus: {}\n", node, cpus.get<std::string>());
        if (machine.contains("mem_mb"))
            out += fmt::format("node {} size: {} MB\n", node, machine["mem_mb"][index++].get<int>());
    }
    if (!machine.contains("distance"))
        return out;
    out += "node distances:\nnode ";
    for (std::size_t i = 0; i < machine["distance"].size(); ++i)
        out += fmt::format("  {} ", i);
    for (std::size_t i = 0; i < machine["distance"].size(); ++i) {
        out += fmt::format("\n  {}:", i);
        for (const auto& distance : machine["distance"][i])
            out += fmt::format("  {}", distance.get<int>());
    }
    return out + "\n";
}

TEST(MachineTopology, PublishedMachines) {
    for (const auto& machine : nlohmann::json::parse(case_file("h09-topologies.json"))) {
        if (!machine.contains("nodes"))
            continue;
        const auto found = read_topology(numactl(machine), "x");
        ASSERT_TRUE(found) << machine["id"] << found.error().message();
        EXPECT_EQ(found->nodes, machine["nodes"].size()) << machine["id"];
        if (machine.contains("distance")) {
            EXPECT_EQ(found->distance.at(0).at(1), machine["distance"][0][1].get<unsigned>()) << machine["id"];
        }
        EXPECT_TRUE(found->host_cpus().empty()) << "numactl tells nodes alone";
    }
    const auto eight =
        read_topology("Socket(s):  2\nThread(s) per core: 2\nNUMA node(s): 8\nNUMA node0 CPU(s): 0-5,48-53\n"
                      "NUMA node1 CPU(s): 6-11,54-59\n",
                      "x");
    ASSERT_TRUE(eight);
    EXPECT_EQ(eight->sockets, 2U);
    EXPECT_EQ(eight->nodes, 8U);
    EXPECT_EQ(eight->find(48)->node, 0U);
    EXPECT_EQ(eight->find(9)->node, 1U);
    EXPECT_FALSE(eight->find(99));
    for (const char* text : {"", "hello", "<?xml version=\"1.0\"?><nothing/>", "node 0 cpus: x\n", "Socket(s): two\n",
                             "# CPU,Core\n0\n", "NUMA node0 CPU(s): 0-1\nNUMA node1 CPU(s): 1\n"})
        EXPECT_FALSE(read_topology(text, "x")) << text;
}

} // namespace
} // namespace snapscope
