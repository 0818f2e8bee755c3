// Server CPU of a transaction while somebody watches: by tool, against nobody.
//
// All rows take turns within a round, in an order that rotates; a row's ratio is
// against "nothing" on the same server in the same round.

#include "load.hpp"
#include "observer.hpp"
#include "report.hpp"

#include <fmt/format.h>
#include <map>

namespace snapscope::bench {
namespace {

constexpr int scale = 10;
constexpr int clients = 4;

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

void measure_load(Report& report, Servers& servers, const std::string& name, const Load& load, int rounds) {
    std::vector<Row> rows;
    for (auto& tool : all_tools())
        rows.push_back({std::move(tool), {}, {}, ""});
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

void measure(Report& report) {
    std::vector<std::string> absent;
    auto servers = start_all({contender::unpatched, contender::copy}, {{"autovacuum", "off"}}, absent);
    for (auto& server : servers)
        initialize_tables(*server, scale);
    Load load;
    load.clients = clients;
    load.seconds = report.pick(4, 3, 1);
    const int rounds = report.pick(10, 6, 1);
    load.arguments = {"-S"};
    measure_load(report, servers, "select-only", load, rounds);
    load.arguments = {};
    measure_load(report, servers, "tpcb-like", load, rounds);
    report.note("ebpf stays within 2 % of the server's CPU time by watching part of it; with --overhead 100% it "
                "watches all of it");
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "overhead", snapscope::bench::measure);
}
