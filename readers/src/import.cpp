#include "import_parts.hpp"

#include <snapscope/lab/pgbench.hpp>
#include <snapscope/readers/log2_histogram.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope {
namespace {

// A run needs a moment; where the file tells none, this stands for it.
constexpr const char* no_moment = "1970-01-01T00:00:00Z";
constexpr double little_tolerance = 0.01;
constexpr double printed_ms = 0.0005; // half of pgbench's last digit
constexpr std::size_t most_bytes = std::size_t{1} << 30;

struct Kind {
    const char* name;
    Result<Imported> (*read)(std::string_view, const ImportOptions&);
};
constexpr std::array kinds{Kind{"pcm", import_pcm},
                           Kind{"c2c", import_c2c},
                           Kind{"perf-script", import_perf_script},
                           Kind{"pgbench", import_pgbench},
                           Kind{"histogram", import_histogram},
                           Kind{"waits", import_waits}};

// clients / latency is tps (Little's law), where all clients were busy.
void check_littles_law(const Workload& load, std::vector<std::string>& warnings) {
    if (!load.tps || !load.latency_ms || !load.clients || !(*load.latency_ms > 0))
        return;
    const double expected = 1000 * static_cast<double>(*load.clients) / *load.latency_ms;
    const double off = std::fabs(*load.tps / expected - 1);
    if (off > little_tolerance + printed_ms / *load.latency_ms)
        warnings.push_back(
            fmt::format("clients / latency gives {:.6g} tps, {:.1f} % off the {:.6g} that pgbench states: not "
                        "all clients were busy all the time, or the lines are of different runs",
                        expected, 100 * off, *load.tps));
}

} // namespace

Imported new_import(const ImportOptions& options) {
    Imported out;
    out.run.tool_version = options.tool_version;
    out.run.finished = true;
    out.run.clock.wall_start = no_moment;
    out.run.server.version = "unknown";
    out.run.warnings.push_back(
        fmt::format("imported from {}: the server and the host were not watched", options.label));
    if (options.topology) {
        const MachineTopology& topology = *options.topology;
        out.run.host.cpu_model = topology.cpu_model;
        out.run.host.arch = topology.arch;
        out.run.host.cpus = topology.host_cpus();
        out.run.warnings.insert(out.run.warnings.end(), topology.notes.begin(), topology.notes.end());
    }
    return out;
}

Matrix hitm_matrix(const char* by) {
    return {"hitm_samples", "hitm", "samples", by, {}, {"local", "remote"}, {}};
}

void add_row(Matrix& matrix, std::string reader, double local, double remote) {
    matrix.readers.push_back(std::move(reader));
    matrix.counts.push_back(local);
    matrix.counts.push_back(remote);
}

Result<Imported> import_pgbench(std::string_view text, const ImportOptions& options) {
    auto load = parse_pgbench(text, {}, 0);
    if (!load)
        return fail(fmt::format("{}: {}", options.label, load.error().what), load.error().hint);
    Imported out = new_import(options);
    load->exit_status.reset(); // the file does not tell
    if (!text.ends_with('\n'))
        load->notes.emplace_back("the last line has no line end: its figure may be cut");
    check_littles_law(*load, out.run.warnings);
    out.partial = !load->valid || !text.ends_with('\n');
    if (load->duration_s)
        out.run.clock.end_ns = std::llround(std::min(*load->duration_s, 1e9) * 1e9);
    out.run.workload = std::move(*load);
    return out;
}

Result<Imported> import_histogram(std::string_view text, const ImportOptions& options) {
    auto read = read_log2_histogram(text, options.label);
    if (!read)
        return fail(read.error());
    Imported out = new_import(options);
    read->histogram.name = "snapshot_duration";
    read->histogram.source = "ebpf";
    out.run.sources.push_back({"ebpf", EvidenceKind::counted, SourceState::active, "", "", 0, 0, 0, 0, {}});
    for (const std::uint64_t count : read->histogram.counts)
        out.run.sources.back().records += count;
    out.run.histograms.push_back(std::move(read->histogram));
    out.run.warnings.emplace_back("the file does not say which function was timed: it is taken for GetSnapshotData()");
    out.run.warnings.insert(out.run.warnings.end(), read->notes.begin(), read->notes.end());
    out.partial = !read->notes.empty();
    return out;
}

std::vector<std::string> import_kinds() {
    std::vector<std::string> out;
    for (const Kind& kind : kinds)
        out.emplace_back(kind.name);
    return out;
}

Result<Imported> import_text(std::string_view kind, std::string_view text, const ImportOptions& options) {
    const auto* const known =
        std::find_if(kinds.begin(), kinds.end(), [&](const Kind& one) { return one.name == kind; });
    if (known == kinds.end())
        return fail(fmt::format("'{}' is no kind of recording", kind),
                    fmt::format("{}", fmt::join(import_kinds(), ", ")), ErrorClass::usage);
    if (text.size() > most_bytes)
        return fail(options.label + " is larger than 1 GiB", "cut it into parts");
    return known->read(text, options);
}

} // namespace snapscope
