#include <snapscope/analyzer/proc_arrays.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/emulator/emulated_run.hpp>
#include <snapscope/recording/run_folder.hpp>
#include <snapscope/recording/wall_clock.hpp>

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <map>

namespace snapscope::emulator {
namespace {

constexpr const char* source = "emulate";
constexpr std::uint64_t latest_completed_xid = 48; // in the xid counters of 13
constexpr std::uint64_t minor_digits = 10000;      // 13.16 -> 130016

// Entries of an array, for the layout.
std::uint64_t stride_of(std::string_view name, int major) {
    static const std::map<std::string_view, std::uint64_t> strides{
        {"PGXACT", 12}, {"xids", 4}, {"subxidStates", 2}, {"statusFlags", 1}, {"ProcArrayLock", 16}};
    constexpr std::array<std::uint64_t, 6> pgproc{856, 880, 880, 880, 888, 832};
    if (name == "PGPROC")
        return pgproc.at(static_cast<std::size_t>(major - 13));
    const auto found = strides.find(name);
    return found == strides.end() ? 0 : found->second;
}

Array array_of(const TracedRange& range, std::uint64_t stride) {
    Array out;
    out.name = range.name;
    out.address = range.address;
    out.stride_bytes = stride;
    out.entries = range.bytes / stride;
    out.lines = (range.address + range.bytes - 1) / line_bytes - range.address / line_bytes + 1;
    for (std::uint64_t i = 0; i < out.entries; ++i) {
        const std::uint64_t first = range.address + i * stride;
        out.straddling_entries += first / line_bytes != (first + stride - 1) / line_bytes ? 1U : 0U;
    }
    return out;
}

// As the patched server names what lies within these ranges.
void put_parts(const TracedRange& range, Layout& out) {
    if (range.name == "ProcArray")
        out.arrays.push_back(
            array_of({"pgprocnos", range.address + proc_array_head_bytes, range.bytes - proc_array_head_bytes},
                     sizeof(std::int32_t)));
    else if (range.name == "xid_counters")
        out.arrays.push_back(array_of({"latestCompletedXid", range.address + latest_completed_xid, 4}, 4));
    else if (range.name == "snapshot_copy")
        out.arrays.push_back(array_of(range, range.bytes));
}

Layout layout_of(const Emulation& emulation, int major) {
    Layout out;
    for (const TracedRange& range : emulation.guest.ranges) {
        if (const std::uint64_t stride = stride_of(range.name, major); stride != 0)
            out.arrays.push_back(array_of(range, stride));
        if (major == 13)
            put_parts(range, out);
    }
    return out;
}

Host host_of(const Machine& machine, const std::string& packages) {
    Host out;
    out.name = "emulated";
    out.kernel = packages;
    out.cpu_model = "emulated, " + machine.shape;
    out.arch = "x86_64";
    out.hypervisor = "QEMU, in software";
    for (const Topology::Place& place : machine.topology.cpus)
        out.cpus.push_back({place.cpu, place.core, place.socket, place.socket, place.llc});
    return out;
}

std::optional<std::uint32_t> version_num(const std::string& version) {
    const std::vector<std::string> parts = split(version.substr(0, version.find(' ')), '.');
    const auto major = parse_integer<std::uint32_t>(parts.front());
    const auto minor = parts.size() > 1 ? parse_integer<std::uint32_t>(parts[1]) : std::nullopt;
    return major && minor ? std::optional<std::uint32_t>(*major * minor_digits + *minor) : std::nullopt;
}

void put_total(Run& run, const std::string& name, std::uint64_t value) {
    run.totals.push_back({name, source, "1", static_cast<std::int64_t>(value)});
}

void put_totals(Run& run, const EmulatedRow& row) {
    const Movements moved = snapshot_movements(row);
    put_total(run, "snapshots_taken", row.snapshots());
    put_total(run, "line_loads", moved.accesses[0]);
    put_total(run, "line_stores", moved.accesses[1]);
    put_total(run, "line_locked_operations", moved.accesses[2]);
    put_total(run, "lines_fetched", sum(moved.fetches));
    put_total(run, "lines_fetched_cross_socket", moved.fetches[static_cast<std::size_t>(Distance::cross_socket)]);
    put_total(run, "lines_invalidated", moved.invalidated);
    put_total(run, "cross_socket_events", moved.cross_socket_events);
}

Matrix between_sockets(const EmulatedRow& row) {
    const auto sockets = row.repeats.front().between_sockets.size();
    std::size_t side = 0;
    while (side * side < sockets)
        ++side;
    Matrix out{"transfers", source, "1", "socket", {}, {}, std::vector<double>(sockets)};
    for (std::size_t i = 0; i < side; ++i) {
        out.readers.push_back(std::to_string(i));
        out.writers.push_back(std::to_string(i));
    }
    for (const PhaseTruth& phase : row.repeats)
        for (std::size_t i = 0; i < sockets; ++i)
            out.counts[i] += static_cast<double>(phase.between_sockets[i]);
    return out;
}

// The lines that sockets fetched from each other or from themselves.
Matrix by_line(const PhaseTruth& phase) {
    Matrix out{"line_events", source, "1", "line", {}, {"cross_socket"}, {}};
    for (const LineTruth& line : phase.by_line) {
        if (line.moved.cross_socket_events == 0)
            continue;
        out.readers.push_back(fmt::format("{} line {}", line.structure, line.index));
        out.counts.push_back(static_cast<double>(line.moved.cross_socket_events));
    }
    return out;
}

} // namespace

Result<Run> emulated_run(const EmulatedRow& row, const Emulation& emulation, const Machine& machine,
                         const RunFacts& facts) {
    Run run;
    auto id = make_run_id();
    if (!id)
        return fail(id.error());
    run.id = std::move(*id);
    run.tool_version = facts.tool_version;
    run.clock.start_ns = facts.start_ns;
    run.clock.end_ns = facts.start_ns; // no time passed that would mean anything
    const auto now =
        std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch());
    run.clock.wall_start = format_wall_time(now.count() - facts.took_ns);
    run.host = host_of(machine, facts.packages);
    run.server.version = row.server;
    run.server.version_num = version_num(row.server);
    run.server.snapshot_cache = row.mode;
    run.server.max_connections = static_cast<std::uint32_t>(row.max_connections);
    run.server.backends = static_cast<std::uint32_t>(row.clients + row.idle);
    run.server.settings = {{"snapshot_slot_spread", row.slot_spread ? "on" : "off"}};
    run.layout = layout_of(emulation, parse_integer<int>(row.server.substr(0, 2)).value_or(13));
    SourceStatus status;
    status.name = source;
    status.kind = EvidenceKind::emulated;
    status.state = SourceState::active;
    status.start_ns = facts.start_ns;
    status.end_ns = facts.start_ns;
    status.records = emulation.phases.front().trace.accesses.size();
    run.sources.push_back(std::move(status));
    put_totals(run, row);
    run.matrices = {between_sockets(row), by_line(row.repeats.back())};
    run.warnings.push_back(fmt::format(
        "emulated: counts are exact, transfers hold for a barrier of {} instructions, and nothing is said of time",
        row.barrier_instructions));
    return run;
}

Status write_emulated_run(const Run& run, const AccessTrace& trace, const std::filesystem::path& folder, bool force) {
    auto writer = RunFolderWriter::create(folder, run, force);
    if (!writer)
        return fail(writer.error());
    SNAPSCOPE_TRY(write_access_trace(trace, folder / access_trace_file));
    return writer->finish(run);
}

} // namespace snapscope::emulator
