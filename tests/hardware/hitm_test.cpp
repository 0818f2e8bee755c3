// Source `hitm` from perf's stream to the run: a replay of perf samples known
// accesses of a real server's arrays.
#include "hardware_run.hpp"

#include <snapscope/collector/memory_file.hpp>

#include <algorithm>
#include <case_file.hpp>
#include <fmt/format.h>
#include <function_names.hpp>
#include <gmock/gmock.h>
#include <server_places.hpp>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;
using testing::Contains;
using testing::HasSubstr;

// Words of published samples (h20), and one of them with the bit for another node.
constexpr std::uint64_t hitm_local = 0x629800842, hitm_remote = hitm_local | 1ULL << 37U;
constexpr std::uint64_t load_hit = 0x229080142, store_hit = 0x229080144, ram_hit = 0x1a49081042;
constexpr const char* intel = "list ldlat-loads  cpu/mem-loads,ldlat=30/P : available\n"
                              "list ldlat-stores cpu/mem-stores/P         : available\n";

class Hitm : public HardwareRun {
  protected:
    void SetUp() override {
        HardwareRun::SetUp();
        if (IsSkipped() || HasFatalFailure())
            return;
        const ProcFs proc;
        if (auto memory = MemoryFile::open(proc, cluster().pid()))
            memory_.emplace(std::move(*memory));
        Postmaster postmaster;
        postmaster.pid = cluster().pid();
        auto found = ServerPlaces::find(proc, postmaster, memory_ ? &*memory_ : nullptr);
        ASSERT_TRUE(found) << found.error().message();
        places_.emplace(std::move(*found));
        names_ = FunctionNames::of_server(proc, cluster().pid());
        ip_ = ip_of("GetSnapshotData");
    }
    // The array whose entries are slots and hold xmin: of PGXACT in 13, of PGPROC later.
    [[nodiscard]] const PlacedArray& array() const {
        const auto& arrays = places_->map().arrays();
        const auto pgxact = std::ranges::find(arrays, "PGXACT", &PlacedArray::name);
        return pgxact != arrays.end() ? *pgxact : *std::ranges::find(arrays, "PGPROC", &PlacedArray::name);
    }
    [[nodiscard]] std::uint64_t xmin_of(std::uint32_t slot) const {
        const auto field = std::ranges::find(array().fields, "xmin", &PlacedField::name);
        return array().address + slot * array().stride_bytes + field->offset;
    }
    [[nodiscard]] std::uint32_t slot_of(int pid) const {
        for (std::uint32_t slot = 0; slot < array().entries; ++slot)
            if (places_->owner(slot) == static_cast<std::uint32_t>(pid))
                return slot;
        ADD_FAILURE() << "no slot of " << pid;
        return 0;
    }
    [[nodiscard]] std::uint64_t ip_of(const std::string& name) const {
        const auto exe = ProcFs().path(cluster().pid(), "exe").string();
        const auto functions = read_functions(exe).value();
        const auto maps = mirror::parse_maps(*read_text(ProcFs().path(cluster().pid(), "maps"), 1U << 22U)).value();
        const auto function = std::ranges::find(functions, name, &FunctionSymbol::name);
        for (const std::uint64_t bias : {maps.front().start, std::uint64_t{0}})
            if (function != functions.end() && names_.of(function->begin + bias + 4) == name)
                return function->begin + bias + 4;
        ADD_FAILURE() << "no function " << name;
        return 0;
    }
    [[nodiscard]] std::string samples(int count, int pid, int cpu, std::uint64_t address, std::uint64_t data_src,
                                      int period = 1000, int enabled = 100, int running = 100) const {
        return fmt::format("samples {} {} {} {:#x} {:#x} {:#x} {} 90 {} {}\n", count, pid, cpu, ip_, address, data_src,
                           period, enabled, running);
    }

    std::optional<MemoryFile> memory_;
    std::optional<ServerPlaces> places_;
    FunctionNames names_;
    std::uint64_t ip_ = 0;
};

class HitmOnce : public Hitm {}; // what does not depend on the server

TEST_P(Hitm, NamesLineFieldFunctionReaderAndWriter) {
    Session writer(cluster());
    Session reader(cluster());
    const auto slot = slot_of(writer.pid());
    const auto xmin = xmin_of(slot);
    put("perf", intel + samples(5, writer.pid(), 0, xmin, store_hit) + samples(7, reader.pid(), 1, xmin, hitm_remote) +
                    samples(3, reader.pid(), 1, xmin, hitm_local) + samples(50, reader.pid(), 1, 0x1000, load_hit) +
                    samples(9, ::getpid(), 0, xmin, hitm_remote)); // another program's same address
    const auto run = record("hitm");
    EXPECT_EQ(status_, 0) << output_;
    const auto& source = source_named(run, "hitm");
    EXPECT_EQ(source.state, SourceState::active) << source.reason;
    EXPECT_EQ(source.kind, EvidenceKind::measured);
    EXPECT_EQ(source.records, 15U);
    EXPECT_EQ(total_of(run, "hitm_samples_remote"), 7);
    EXPECT_EQ(total_of(run, "hitm_samples_local"), 3);
    EXPECT_EQ(total_of(run, "store_samples"), 5);
    EXPECT_EQ(total_of(run, "hitm_events_remote"), 7000);
    const std::string field = fmt::format("{}[{}].xmin", array().name, slot);
    for (const auto& [by, row] : {std::pair<std::string, std::string>{"field", field},
                                  {"line", places_->map().line_text(xmin)},
                                  {"function", "GetSnapshotData"}}) {
        const Matrix* matrix = matrix_of(run, "hitm_samples", by);
        ASSERT_NE(matrix, nullptr) << by;
        EXPECT_EQ(cell(*matrix, row, "remote"), 7) << by << " " << row;
        EXPECT_EQ(cell(*matrix, row, "local"), 3) << by << " " << row;
    }
    const Matrix* transfers = matrix_of(run, "transfers", "core");
    ASSERT_NE(transfers, nullptr);
    double sum = 0;
    for (const double count : transfers->counts)
        sum += count;
    EXPECT_DOUBLE_EQ(sum, 10000);
    EXPECT_FALSE(std::ranges::count(transfers->writers, "not told")) << "the last store tells the writer";
    const auto windows = std::ranges::find(run.windows.series, "hitm_samples_remote", &Series::name);
    ASSERT_NE(windows, run.windows.series.end());
    double in_windows = 0;
    for (const auto& value : windows->values)
        in_windows += value.value_or(0);
    EXPECT_EQ(in_windows, 7);
}

TEST_P(Hitm, BackendsThatComeLaterCountAndUnknownOnesAreLost) {
    constexpr int later = 4194301; // no process has that number
    constexpr int unknown = 4194302;
    put("perf", intel + samples(6, later, 0, xmin_of(1), hitm_remote) +
                    samples(2, unknown, 0, xmin_of(1), hitm_remote) +
                    fmt::format("late {} {}\n", later, cluster().pid()));
    const auto run = record("hitm");
    EXPECT_EQ(status_, 3) << output_;
    EXPECT_EQ(total_of(run, "hitm_samples_remote"), 6);
    EXPECT_EQ(source_named(run, "hitm").lost, 2U);
}

TEST_P(HitmOnce, MultiplexingScalesAndItsErrorIsStated) {
    Session reader(cluster());
    put("perf", intel + samples(100, reader.pid(), 0, xmin_of(0), hitm_remote, 500, 400, 100));
    const auto run = record("hitm");
    EXPECT_EQ(total_of(run, "hitm_events_remote"), 100 * 500 * 4);
    EXPECT_EQ(total_of(run, "hitm_events_remote_error"), 10 * 500 * 4);
    EXPECT_THAT(run.warnings, Contains(HasSubstr("scaled up, at most by 4.00")));
}

TEST_P(HitmOnce, ThePublishedHotLineHasItsShare) {
    Session reader(cluster());
    std::string script = intel;
    std::vector<std::uint64_t> lines;
    for (auto& row : case_rows("h03-c2c-4node-lines.csv")) {
        // One PGPROC, or five PGXACT entries, apart: each in a line of its own.
        lines.push_back(array().address / 64 * 64 + 64 * (lines.size() + 1));
        script += samples(std::stoi(row["hitm_rmt"]), reader.pid(), 0, lines.back(), hitm_remote) +
                  samples(std::stoi(row["hitm_lcl"]), reader.pid(), 0, lines.back(), hitm_local);
    }
    put("perf", script);
    const auto run = record("hitm");
    const Matrix* by_line = matrix_of(run, "hitm_samples", "line");
    ASSERT_NE(by_line, nullptr);
    ASSERT_EQ(by_line->readers.size(), lines.size());
    EXPECT_EQ(by_line->readers[0], places_->map().line_text(lines[0])) << "the hottest comes first";
    // 77.09 % of the remote HITM that the report's lines hold, as published.
    const auto remote = total_of(run, "hitm_samples_remote").value_or(0);
    EXPECT_NEAR(100 * by_line->counts[1] / static_cast<double>(remote), 77.5, 0.5);
    EXPECT_EQ(by_line->counts[1], 9834);
    EXPECT_EQ(by_line->counts[0], 2269);
}

TEST_P(Hitm, TwoSlotsOnOneLineAreNamed) {
    Session writer(cluster());
    Session reader(cluster());
    // Two words of one line; in PGPROC they are one slot's.
    const auto slot = slot_of(writer.pid());
    const auto line = xmin_of(slot) / 64 * 64;
    const auto first = std::max(line, array().address);
    const auto a = places_->map().find(first)->entry;
    const auto b = places_->map().find(line + 60)->entry;
    put("perf",
        intel + samples(2, writer.pid(), 0, line + 60, store_hit) + samples(4, reader.pid(), 1, first, hitm_remote));
    const auto run = record("hitm");
    if (a == b) {
        EXPECT_THAT(run.warnings, Not(Contains(HasSubstr("false sharing"))));
    } else {
        EXPECT_THAT(run.warnings, Contains(HasSubstr(fmt::format("HITM loads of {}, stores of {}", a, b))));
    }
}

TEST_P(HitmOnce, AProcessorThatReportsNoneIsUnavailableAndNotZero) {
    Session reader(cluster());
    put("perf", "list mem-ldst      ibs_op//                 : available\n" +
                    samples(40, reader.pid(), 0, xmin_of(0), ram_hit));
    const auto run = record("hitm");
    const auto& source = source_named(run, "hitm");
    EXPECT_EQ(source.state, SourceState::unavailable);
    EXPECT_THAT(source.reason, HasSubstr("this processor reports none"));
    EXPECT_EQ(total_of(run, "hitm_samples_remote"), std::nullopt);
    EXPECT_EQ(total_of(run, "load_samples"), 40);
    EXPECT_EQ(matrix_of(run, "transfers", "core"), nullptr);
}

TEST_P(HitmOnce, PerfsRefusalIsToldInItsWords) {
    put("perf", std::string(intel) + "refuse 255 Error: Access to performance monitoring and observability "
                                     "operations is limited.\n");
    const auto run = record("hitm,sql", "true");
    EXPECT_EQ(status_, 3) << output_;
    EXPECT_EQ(source_named(run, "hitm").state, SourceState::unavailable);
    EXPECT_THAT(source_named(run, "hitm").reason, HasSubstr("Access to performance monitoring"));
    EXPECT_EQ(source_named(run, "sql").state, SourceState::active);
    EXPECT_TRUE(run.finished);
}

TEST_P(HitmOnce, ATraceThatIsNotDecodedIsUnavailable) {
    put("perf", "list spe-ldst     arm_spe_0/ts_enable=1,load_filter=1,store_filter=1,min_latency=30/: available\n");
    const auto run = record("hitm", "true");
    EXPECT_EQ(status_, 3) << output_;
    EXPECT_EQ(source_named(run, "hitm").state, SourceState::unavailable);
    EXPECT_THAT(source_named(run, "hitm").reason, HasSubstr("SPE"));
}

TEST_P(HitmOnce, WithoutRunningTimesItSaysSo) {
    Session reader(cluster());
    put("perf", intel + samples(5, reader.pid(), 0, xmin_of(0), hitm_remote) +
                    "refuse-reads 255 Error: The sys_perf_event_open() syscall returned with 22 (Invalid argument)\n");
    const auto run = record("hitm");
    EXPECT_EQ(status_, 0) << output_;
    EXPECT_EQ(total_of(run, "hitm_samples_remote"), 5);
    EXPECT_THAT(run.warnings, Contains(HasSubstr("how long the event had a counter is not told")));
}

TEST_P(HitmOnce, WhatCameBeforeAnEarlyEndCounts) {
    Session reader(cluster());
    const auto five = samples(5, reader.pid(), 0, xmin_of(0), hitm_remote);
    for (const auto& [end, words] :
         {std::pair<std::string, std::string>{"die 139 Segmentation fault", "exit status 139"},
          {"garbage", "malformed"},
          {"cut", "ended inside a record"}}) {
        put("perf", intel + five + end + "\n");
        const auto run = record("hitm");
        EXPECT_EQ(status_, 3) << end << output_;
        const auto& source = source_named(run, "hitm");
        EXPECT_EQ(source.state, SourceState::degraded) << end;
        EXPECT_THAT(source.reason, HasSubstr(words)) << end;
        EXPECT_EQ(total_of(run, "hitm_samples_remote"), end == "cut" ? 4 : 5) << end;
    }
}

TEST_P(HitmOnce, PerfEndsByAnInterruptAlsoWhenTheCollectorIsKilled) {
    put("perf", intel);
    auto running = start_recording("hitm", "touch started; sleep 60");
    EXPECT_TRUE(within_seconds(30, [&] { return std::filesystem::exists(folder() / "started"); }));
    running.send_signal(SIGKILL);
    EXPECT_EQ(running.wait_for(30s), 128 + SIGKILL);
    EXPECT_TRUE(within_seconds(30, [&] { return text("perf.log").find("interrupted") != std::string::npos; }))
        << text("perf.log");
}

INSTANTIATE_TEST_SUITE_P(Servers, Hitm, testing::Values("patched", "debian15"), name_of_server);
INSTANTIATE_TEST_SUITE_P(Servers, HitmOnce, testing::Values("patched"), name_of_server);

} // namespace
} // namespace snapscope::test
