#include "observed_load.hpp"

#include <fmt/format.h>

namespace snapscope::bench {
namespace {

struct Row {
    Tool tool;
    Rounds cpu_us, tps;
    std::string why; // a round that did not count
};

void measure_once(Row& row, Server& server, const Load& load) {
    auto observer = row.tool.start ? row.tool.start(server) : nullptr;
    const auto result = run_load(server, load);
    if (observer != nullptr)
        if (const auto why = observer->finish(); !why.empty()) {
            row.why = why;
            return;
        }
    row.cpu_us.push_back(result.cpu_us);
    row.tps.push_back(result.tps);
}

const Row& nothing_of(const std::vector<Row>& rows, const std::string& contender) {
    for (const auto& row : rows)
        if (row.tool.contender == contender && !row.tool.start)
            return row;
    give_up("nothing was measured on " + contender);
}

void report_load(Report& report, const std::string& load, const std::vector<Row>& rows, int rounds) {
    for (const auto& row : rows) {
        const Labels labels{{"load", load}, {"server", row.tool.contender}, {"tool", row.tool.name}};
        const bool whole = row.cpu_us.size() == static_cast<std::size_t>(rounds);
        if (!whole) {
            report.add_absent(labels, "us", row.tool.missing.empty() ? row.why : row.tool.missing);
            continue;
        }
        report.add_row(labels, "us", row.cpu_us);
        const auto& nothing = nothing_of(rows, row.tool.contender);
        if (&nothing != &row && rounds >= 6)
            report.add_ratio(
                ratio_of(fmt::format("server CPU, {}, {}: {} / nothing", load, row.tool.contender, row.tool.name),
                         row.cpu_us, nothing.cpu_us));
    }
}

} // namespace

void measure_observed(Report& report, Servers& servers, const std::vector<Tool>& tools, const std::string& name,
                      const Load& load, int rounds) {
    std::vector<Row> rows;
    for (const auto& tool : tools)
        rows.push_back({tool, {}, {}, ""});
    for (int round = 0; round < rounds; ++round) {
        progress(fmt::format("{}, round {} of {}", name, round + 1, rounds));
        for (std::size_t turn = 0; turn < rows.size(); ++turn) {
            auto& row = rows[(turn + static_cast<std::size_t>(round)) % rows.size()];
            if (row.tool.missing.empty())
                measure_once(row, find(servers, row.tool.contender), load);
        }
    }
    report_load(report, name, rows, rounds);
    const auto& once = nothing_of(rows, contender::unpatched);
    for (const auto& row : rows)
        if (&row != &once && row.tool.contender == contender::unpatched && !row.tool.start)
            report.set_noise_floor(once.cpu_us, row.cpu_us);
}

} // namespace snapscope::bench
