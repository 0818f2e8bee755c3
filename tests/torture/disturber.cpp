#include "disturber.hpp"

#include "connection.hpp"

#include <chrono>
#include <csignal>
#include <fmt/format.h>
#include <fstream>
#include <optional>
#include <random>
#include <string>
#include <thread>

namespace snapscope::torture {
namespace {

using namespace std::chrono_literals;

// False when the run has ended.
bool sleep_for(const World& world, std::chrono::nanoseconds duration) {
    const auto end = now_ns() + duration.count();
    while (!world.stopping() && now_ns() < end)
        std::this_thread::sleep_for(std::min<std::chrono::nanoseconds>(5ms, duration));
    return !world.stopping();
}

std::mt19937_64 random_for(const World& world, std::uint64_t which) {
    return std::mt19937_64(world.options.seed * 1000 + 900 + which);
}

int below(std::mt19937_64& random, int bound) {
    return std::uniform_int_distribution<int>(0, bound - 1)(random);
}

pid_t parent_of(int pid) {
    std::ifstream status("/proc/" + std::to_string(pid) + "/status");
    for (std::string line; std::getline(status, line);)
        if (line.starts_with("PPid:"))
            return std::atoi(line.c_str() + 5);
    return 0;
}

} // namespace

void change_phases(World& world) {
    auto random = random_for(world, 1);
    auto change = now_ns();
    do {
        if (now_ns() >= change) { // for some seconds, then none
            world.long_readers = below(random, 3) == 0;
            change = now_ns() + 1'500'000'000;
        }
        world.brief = below(random, 2) == 0;
        if (below(random, 2) == 0)
            world.lull = World::Lull{below(random, world.options.clients), 2 + below(random, 3)};
        else
            world.lull = World::Lull{};
    } while (sleep_for(world, std::chrono::milliseconds(50 + below(random, 200))));
}

void vacuum_tables(World& world) {
    auto random = random_for(world, 2);
    std::optional<Connection> connection;
    while (sleep_for(world, std::chrono::milliseconds(5 + below(random, 60)))) {
        try {
            if (!connection)
                connection.emplace(world.conninfo());
            constexpr const char* tables[] = {"account", "counter", "list", "scratch"};
            connection->query(fmt::format("VACUUM {}", tables[below(random, 4)]));
            ++world.counts.vacuums;
        } catch (const StatementFailed& failure) {
            connection.reset();
            if (!(failure.lost && world.connections_may_be_lost()))
                world.faults.report("vacuum", failure.sqlstate + " " + failure.message);
        }
    }
}

void kill_backends(World& world, pid_t postmaster) {
    auto random = random_for(world, 3);
    const auto interval = std::chrono::nanoseconds(std::int64_t(world.options.kill_interval * 1e9));
    while (sleep_for(world, interval)) {
        for (int tries = 0; tries < 100 && !world.stopping(); ++tries) {
            const int pid = world.pid_of(below(random, world.options.clients));
            if (pid <= 0 || parent_of(pid) != postmaster) {
                std::this_thread::sleep_for(5ms);
                continue;
            }
            if (::kill(pid, SIGKILL) == 0)
                ++world.counts.kills;
            break;
        }
    }
}

} // namespace snapscope::torture
