// What watching costs a server, by tool.

#include "observed_load.hpp"

namespace snapscope::bench {
namespace {

constexpr int scale = 10;
constexpr int clients = 4;

void measure(Report& report) {
    std::vector<std::string> absent;
    auto servers = start_all({contender::unpatched, contender::copy}, {{"autovacuum", "off"}}, absent);
    for (auto& server : servers)
        initialize_tables(*server, scale);
    const auto tools = all_tools();
    Load load;
    load.clients = clients;
    load.seconds = report.pick(4, 3, 1);
    const int rounds = report.pick(10, 6, 1);
    load.arguments = {"-S"};
    measure_observed(report, servers, tools, "select-only", load, rounds);
    load.arguments = {};
    measure_observed(report, servers, tools, "tpcb-like", load, rounds);
    report.note("ebpf stays within 2 % of the server's CPU time by watching part of it; with --overhead 100% it "
                "watches all of it");
}

} // namespace
} // namespace snapscope::bench

int main(int argc, char** argv) {
    return snapscope::bench::run_suite(argc, argv, "overhead", snapscope::bench::measure);
}
