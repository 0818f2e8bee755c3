#include "csv_table.hpp"

#include <snapscope/analyzer/latency_matrix.hpp>
#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using nlohmann::json;

constexpr std::size_t max_file_bytes = std::size_t{256} << 20;
constexpr double most_cycles = 1e9;
constexpr std::array source_words{"measured", "file", "synthetic"};

std::optional<std::size_t> distance_of_class(std::string_view word) {
    static const std::map<std::string_view, Distance> classes{
        {"smt_sibling", Distance::same_core},     {"same_core", Distance::same_core},
        {"same_llc", Distance::same_llc},         {"cross_llc", Distance::cross_llc},
        {"same_node", Distance::cross_llc},       {"cross_node", Distance::cross_llc},
        {"cross_socket", Distance::cross_socket}, {"memory", Distance::from_memory},
        {"from_memory", Distance::from_memory}};
    const auto at = classes.find(word);
    return at == classes.end() ? std::nullopt : std::optional(static_cast<std::size_t>(at->second));
}

bool plausible(double cycles) {
    return std::isfinite(cycles) && cycles > 0 && cycles <= most_cycles;
}

std::optional<double> number_at(const json& object, const char* name) {
    if (!object.is_object())
        return std::nullopt;
    const auto at = object.find(name);
    return at != object.end() && at->is_number() ? std::optional(at->get<double>()) : std::nullopt;
}

tl::unexpected<Error> no_matrix(const std::string& name, const std::string& why) {
    return fail(fmt::format("{} is no latency matrix: {}", name, why),
                "give what `snapscope calibrate -o FILE` wrote, or a table with machine, pair_class and median_ns");
}

// rows[i][median]: the first row of a distance counts, from the narrowest border on.
Status take_borders(const json& root, const std::string& name, LatencyMatrix& out) {
    const auto borders = root.find("borders");
    if (borders == root.end() || !borders->is_array())
        return no_matrix(name, "it has no borders");
    for (const json& row : *borders) {
        const json word = row.is_object() ? row.value("border", json()) : json();
        const auto distance = word.is_string() ? distance_of_class(word.get<std::string>()) : std::nullopt;
        const auto median = row.is_object() ? number_at(row.value("one_way_cycles", json()), "p50") : std::nullopt;
        if (!distance || !median || !plausible(*median))
            return no_matrix(name, "a border without its cycles");
        auto& cycles = out.cycles[*distance];
        cycles = std::max(cycles.value_or(0), *median); // two borders are one distance here: the wider one
    }
    return {};
}

// What a load from memory takes, where it was measured.
void take_memory(const json& root, LatencyMatrix& out) {
    const auto loads = root.find("loads");
    if (loads == root.end() || !loads->is_array())
        return;
    for (const json& row : *loads) {
        if (!row.is_object() || row.value("state", json()) != "dram")
            continue;
        const auto median = number_at(row.value("cycles", json()), "p50");
        if (median && plausible(*median))
            out.cycles[static_cast<std::size_t>(Distance::from_memory)] = *median;
    }
}

using Classes = std::array<std::optional<double>, distance_count>; // ns

Result<std::map<std::string, Classes>> machines_of(std::string_view text, const std::string& name) {
    const auto table = parse_csv(text, name);
    if (!table)
        return fail(table.error());
    const auto column = [&](std::string_view word) {
        return static_cast<std::size_t>(std::ranges::find(table->columns, word) - table->columns.begin());
    };
    const std::size_t machine = column("machine");
    const std::size_t pair_class = column("pair_class");
    const std::size_t median = column("median_ns");
    if (std::max({machine, pair_class, median}) >= table->columns.size())
        return no_matrix(name, "it has no columns machine, pair_class and median_ns");
    std::map<std::string, Classes> machines;
    for (const CsvTable::Row& row : table->rows) {
        const auto distance = distance_of_class(row.cells[pair_class]);
        const auto median_ns = parse_double(row.cells[median]);
        if (!distance || !median_ns || !plausible(*median_ns))
            return fail(fmt::format("{}:{}: no class of pairs with its median in ns", name, row.line));
        auto& ns = machines[row.cells[machine]][*distance];
        if (ns)
            return fail(fmt::format("{}:{}: the class occurs twice", name, row.line));
        ns = median_ns;
    }
    return machines;
}

} // namespace

const char* to_string(MatrixSource source) {
    return source_words.at(static_cast<std::size_t>(source));
}

LatencyMatrix synthetic_matrix() {
    LatencyMatrix out;
    out.name = "round figures of a two-socket server at 2.8 GHz";
    out.cycles = {20, 130, 250, 400, 330};
    out.cycles_per_ns = 2.8;
    return out;
}

Result<LatencyMatrix> matrix_from_json(std::string_view text, const std::string& name) {
    const json root = json::parse(text, nullptr, false);
    if (root.is_discarded() || !root.is_object())
        return no_matrix(name, "it is not JSON");
    LatencyMatrix out;
    out.name = name;
    const json clock = root.value("clock", json());
    const auto per_ns = clock.is_object() ? number_at(clock, "cycles_per_ns") : number_at(root, "cycles_per_ns");
    if (!per_ns || !(*per_ns > 0) || *per_ns > 100)
        return no_matrix(name, "it does not say how fast its counter runs");
    out.cycles_per_ns = *per_ns;
    const json origin = root.value("origin", json());
    if (origin != "measured" && origin != "synthetic")
        return no_matrix(name, "it does not say whether it was measured");
    out.source = origin == "measured" ? MatrixSource::measured : MatrixSource::synthetic;
    SNAPSCOPE_TRY(take_borders(root, name, out));
    take_memory(root, out);
    return out;
}

Result<LatencyMatrix> matrix_from_csv(std::string_view text, const std::string& name, const std::string& machine,
                                      double cycles_per_ns) {
    const auto machines = machines_of(text, name);
    if (!machines)
        return fail(machines.error());
    if (machines->empty())
        return no_matrix(name, "it is empty");
    if (machine.empty() && machines->size() > 1)
        return fail(fmt::format("{} has {} machines", name, machines->size()),
                    fmt::format("name one: {}:{}", name, machines->begin()->first), ErrorClass::usage);
    const auto at = machine.empty() ? machines->begin() : machines->find(machine);
    if (at == machines->end())
        return fail(fmt::format("{} has no machine {}", name, machine), "", ErrorClass::usage);
    LatencyMatrix out;
    out.source = MatrixSource::file;
    out.name = name + ":" + at->first;
    out.cycles_per_ns = cycles_per_ns;
    for (std::size_t i = 0; i < distance_count; ++i)
        if (at->second[i])
            out.cycles[i] = *at->second[i] * cycles_per_ns;
    return out;
}

Result<LatencyMatrix> read_matrix(const std::string& file, std::optional<double> cycles_per_ns) {
    std::string path = file;
    std::string machine;
    std::error_code error;
    const auto colon = file.rfind(':');
    if (!std::filesystem::exists(path, error) && colon != std::string::npos) {
        path = file.substr(0, colon);
        machine = file.substr(colon + 1);
    }
    const auto text = read_file(path, max_file_bytes);
    if (!text)
        return fail(text.error());
    if (trim(*text).starts_with('{'))
        return matrix_from_json(*text, path);
    return matrix_from_csv(*text, path, machine, cycles_per_ns.value_or(synthetic_matrix().cycles_per_ns));
}

std::optional<double> cost_cycles(const LatencyMatrix& matrix, const CoherenceTally& tally) {
    double cycles = 0;
    for (std::size_t i = 0; i < distance_count; ++i) {
        const std::uint64_t count = tally.transfers[i] + tally.upgrades[i];
        if (count == 0)
            continue;
        if (!matrix.cycles[i])
            return std::nullopt;
        cycles += static_cast<double>(count) * *matrix.cycles[i];
    }
    return cycles;
}

} // namespace snapscope
