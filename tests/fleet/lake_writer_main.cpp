// fleet_writer LAKE HOSTS RUNS [WINDOWS [SEED [ODD_EVERY [CHANGING_EVERY [COMMIT_RUNS [COMPACT_EVERY]]]]]]
//
// Writes a synthetic fleet, a commit every COMMIT_RUNS (100) runs, and says which
// runs are acknowledged: "acknowledged N", the number of runs that are in for
// good, in the order host by host.  Every COMPACT_EVERY (3) commits it compacts;
// 0: never.
#include "synthetic_fleet.hpp"

#include <snapscope/fleet/lake.hpp>

#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
    using namespace snapscope;
    if (argc < 4)
        return 2;
    const auto number = [&](int at, std::uint32_t otherwise) {
        return argc > at ? static_cast<std::uint32_t>(std::strtoul(argv[at], nullptr, 10)) : otherwise;
    };
    FleetShape shape;
    shape.hosts = number(2, 0);
    shape.runs_a_host = number(3, 0);
    shape.windows = number(4, 60);
    shape.seed = number(5, 1);
    shape.odd_every = number(6, 0);
    shape.changing_every = number(7, 0);
    const std::size_t commit_runs = number(8, 100), compact_every = number(9, 3);
    const auto failed = [](const Error& error) {
        std::fprintf(stderr, "%s\n", error.message().c_str());
        return error.error_class == ErrorClass::unavailable ? 77 : 1;
    };
    auto lake = LakeWriter::open(argv[1], {}, [] {});
    if (!lake)
        return failed(lake.error());
    std::size_t written = 0, commits = 0;
    const auto acknowledge = [&]() -> Status {
        SNAPSCOPE_TRY(lake->commit());
        std::printf("acknowledged %zu\n", written);
        std::fflush(stdout);
        if (++commits; compact_every == 0 || commits % compact_every != 0)
            return {};
        const auto compacted = lake->compact();
        return compacted ? Status() : Status(fail(compacted.error()));
    };
    for (std::uint32_t host = 0; host < shape.hosts; ++host)
        for (std::uint32_t night = 0; night < shape.runs_a_host; ++night) {
            const auto added = lake->add(synthetic_run(shape, host, night));
            if (!added)
                return failed(added.error());
            ++written;
            if (lake->pending() >= commit_runs)
                if (const auto done = acknowledge(); !done)
                    return failed(done.error());
        }
    if (const auto done = acknowledge(); !done)
        return failed(done.error());
    return 0;
}
