#include "snapshot_ns.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope::bench {

namespace {

constexpr double run_us = 400;
constexpr int runs = 20;
constexpr int runs_of_two = 50; // longer, so that the two overlap nearly all the time

const char* argument_of(Xmin xmin) {
    return xmin == Xmin::publish ? "true" : "false";
}

std::string call(int loops, Xmin xmin) {
    return fmt::format("snapscope_snapshot_ns({}, {})", loops, argument_of(xmin));
}

} // namespace

const char* name_of(Xmin xmin) {
    return xmin == Xmin::publish ? "new" : "set";
}

int calls_within(Server& server, Xmin xmin, double microseconds) {
    const double ns = server.session().number(fmt::format("SELECT {}", call(100, xmin)));
    return static_cast<int>(std::clamp(microseconds * 1000 / ns, 20.0, 1e6));
}

double snapshot_ns(Server& server, Xmin xmin) {
    const auto loops = calls_within(server, xmin, run_us);
    return server.session().number(fmt::format("SELECT min({}) FROM generate_series(1, {})", call(loops, xmin), runs));
}

double snapshot_ns_of_two(Server& server, Xmin xmin) {
    const auto loops = calls_within(server, xmin, run_us);
    const auto query = fmt::format("SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY {}) FROM generate_series(1, {})",
                                   call(loops, xmin), runs_of_two);
    for (std::size_t which = 0; which < 2; ++which) {
        server.session(which).pin(static_cast<int>(which));
        server.session(which).send(query);
    }
    const double first = server.session(0).receive_number();
    const double second = server.session(1).receive_number();
    for (std::size_t which = 0; which < 2; ++which)
        server.session(which).unpin();
    return (first + second) / 2;
}

} // namespace snapscope::bench
