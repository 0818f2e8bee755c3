#include <snapscope/recording/core_latency.hpp>

#include <algorithm>
#include <cmath>

namespace snapscope {
namespace {

constexpr std::array<const char*, border_count> border_names{"same_core", "same_llc", "same_node", "cross_node",
                                                             "cross_socket"};
constexpr std::array<const char*, line_state_count> state_names{"own", "clean_remote", "dirty_remote", "dram"};

// A border that is no more than this above the one before it costs nothing
// that is worth a name: clocks and placement within a die make that much.
constexpr double least_factor = 1.1;

double rate(std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::vector<double> medians(const std::vector<CorePair>& pairs, Border border) {
    std::vector<double> out;
    for (const CorePair& pair : pairs)
        if (pair.border == border && pair.rounds > 0)
            out.push_back(pair.one_way_cycles.p50);
    return out;
}

} // namespace

const char* to_string(Border border) {
    return border_names.at(static_cast<std::size_t>(border));
}

const char* to_string(LineState state) {
    return state_names.at(static_cast<std::size_t>(state));
}

std::optional<Border> border_named(std::string_view name) {
    const auto* const place = std::ranges::find(border_names, name);
    return place == border_names.end() ? std::nullopt
                                       : std::optional(static_cast<Border>(place - border_names.begin()));
}

Border border_between(const Cpu& a, const Cpu& b) {
    if (a.core == b.core)
        return Border::same_core;
    if (a.socket != b.socket)
        return Border::cross_socket;
    if (a.node != b.node)
        return Border::cross_node;
    return a.llc && a.llc == b.llc ? Border::same_llc : Border::same_node;
}

Spread spread_of(std::vector<double>& values) {
    std::ranges::sort(values);
    const auto at = [&](double q) {
        const auto rank = static_cast<std::size_t>(std::ceil(q * static_cast<double>(values.size())));
        return values[std::max<std::size_t>(rank, 1) - 1];
    };
    return {values.front(), at(0.1), at(0.5), at(0.9), at(0.99)};
}

double LoadThreshold::missed_rate() const {
    return rate(missed, slow_loads);
}

double LoadThreshold::false_rate() const {
    return rate(false_slow, fast_loads);
}

// A border costs where its cheaper half of pairs is dearer than the dearer half
// of every narrower border, and by more than least_factor in the medians.
std::vector<BorderCost> border_costs(const std::vector<CorePair>& pairs) {
    std::vector<BorderCost> out;
    for (std::size_t number = 0; number < border_count; ++number) {
        BorderCost row;
        row.border = static_cast<Border>(number);
        auto values = medians(pairs, row.border);
        if (values.empty())
            continue;
        row.pairs = values.size();
        row.one_way_cycles = spread_of(values);
        if (!out.empty()) {
            row.factor = row.one_way_cycles.p50 / out.back().one_way_cycles.p50;
            row.costs = std::ranges::all_of(out, [&](const BorderCost& narrower) {
                return row.one_way_cycles.p50 >= least_factor * narrower.one_way_cycles.p50 &&
                       row.one_way_cycles.p10 > narrower.one_way_cycles.p50 &&
                       row.one_way_cycles.p50 > narrower.one_way_cycles.p90;
            });
        }
        out.push_back(row);
    }
    return out;
}

std::optional<double> one_way_ns(const CoreLatencies& latencies, std::uint32_t a, std::uint32_t b) {
    if (a == b)
        return 0;
    const auto of_pair = [&](const CorePair& pair) { return pair.a == std::min(a, b) && pair.b == std::max(a, b); };
    const auto pair = std::ranges::find_if(latencies.pairs, of_pair);
    if (pair != latencies.pairs.end() && pair->rounds > 0)
        return pair->one_way_cycles.p50 / latencies.cycles_per_ns;
    const auto cpu = [&](std::uint32_t number) {
        return std::ranges::find(latencies.host.cpus, number, [](const Cpu& row) { return row.cpu; });
    };
    const auto end = latencies.host.cpus.end();
    if (cpu(a) == end || cpu(b) == end)
        return std::nullopt;
    const auto cost = std::ranges::find(latencies.borders, border_between(*cpu(a), *cpu(b)),
                                        [](const BorderCost& row) { return row.border; });
    return cost == latencies.borders.end() ? std::nullopt
                                           : std::optional(cost->one_way_cycles.p50 / latencies.cycles_per_ns);
}

} // namespace snapscope
