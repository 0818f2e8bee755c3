#include <snapscope/base/csv.hpp>
#include <snapscope/base/number_cell.hpp>
#include <snapscope/readers/probe_cost.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

Result<std::optional<double>> cost_in(const CsvRecord& record, std::size_t column, const std::string& label) {
    const NumberCell cell = read_number(record.cells[column]);
    if (cell.is_number() && cell.value >= 0)
        return std::optional(cell.value);
    if (cell.kind == CellKind::blank || cell.kind == CellKind::no_number || cell.is_number())
        return std::optional<double>();
    return fail(fmt::format("{}: line {}: '{}' is no plain number of ns", label, record.line, record.cells[column]));
}

} // namespace

Result<std::vector<ProbeCost>> read_probe_costs(std::string_view text, const std::string& label) {
    std::vector<ProbeCost> out;
    CsvReader reader(text, detect_separator(text));
    std::vector<std::string> header;
    const auto column = [&](const char* name) {
        return static_cast<std::size_t>(std::find(header.begin(), header.end(), name) - header.begin());
    };
    while (reader.more()) {
        const auto record = reader.next();
        if (!record)
            return fail(fmt::format("{}: line {}: a quoted cell does not end well", label, reader.line()));
        if (header.empty()) {
            header = record->cells;
            for (const char* name : {"probe", "kernel_ns", "userspace_ns"})
                if (column(name) == header.size())
                    return fail(fmt::format("{} has no column {}", label, name));
            continue;
        }
        if (record->cells == header)
            continue;
        if (record->cells.size() != header.size())
            return fail(fmt::format("{}: line {}: {} cells under {} columns", label, record->line, record->cells.size(),
                                    header.size()));
        if (!record->ended)
            return fail(fmt::format("{}: line {} has no line end: its last figure may be cut", label, record->line),
                        "end the file with a line end if it is whole");
        const auto kernel = cost_in(*record, column("kernel_ns"), label);
        const auto user = cost_in(*record, column("userspace_ns"), label);
        if (!kernel || !user)
            return fail(kernel ? user.error() : kernel.error());
        out.push_back({record->cells[column("probe")], *kernel, *user});
    }
    if (out.empty())
        return fail(label + " holds no probe");
    return out;
}

double probe_load(double calls_per_s, double ns) {
    return calls_per_s * ns * 1e-9;
}

std::optional<std::string> probe_load_warning(double calls_per_s, double ns) {
    const double load = probe_load(calls_per_s, ns);
    if (load < probe_load_limit)
        return std::nullopt;
    return fmt::format("probes would take {:.0f} % of one core ({:.0f} calls/s at {:.0f} ns)", 100 * load, calls_per_s,
                       ns);
}

} // namespace snapscope
