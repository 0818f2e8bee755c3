// Rules of the lock-free protocol, whose windows are a few nanoseconds wide:
// delays in them, and readers that are short, since a long one pins every
// horizon and hides the fault.

#include "scenario.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// Runs WORK over and over in COUNT sessions until told to stop or until one fails.
class Crowd {
  public:
    Crowd(const Cluster& server, int count, std::vector<std::string> work, std::atomic<bool>& stop) : stop_(stop) {
        for (int i = 0; i < count; ++i)
            threads_.emplace_back([this, &server, work, i] {
                Client client(server);
                for (std::size_t turn = static_cast<std::size_t>(i); !stop_ && right_; ++turn)
                    if (!client.run(work[turn % work.size()]))
                        right_ = false;
            });
    }
    Crowd(const Crowd&) = delete;
    Crowd& operator=(const Crowd&) = delete;
    ~Crowd() {
        stop_ = true;
        for (auto& thread : threads_)
            thread.join();
    }
    [[nodiscard]] bool right() const { return right_; }

  private:
    std::atomic<bool>& stop_;
    std::atomic<bool> right_ = true;
    std::vector<std::thread> threads_;
};

std::vector<std::string> updates() {
    std::vector<std::string> work;
    for (int id = 1; id <= 10; ++id)
        work.push_back("UPDATE t SET n = n + 1 WHERE id = " + std::to_string(id));
    return work;
}

// Until the time is over, or until the server is caught: a rule left out gets longer.
bool short_readers_beside_writers(Stage& stage) {
    auto& server = stage.start({{"snapshot_cache_delays", "on"}});
    const auto until = steady_clock::now() + (stage.mutant().empty() ? 5s : 60s);
    std::atomic<bool> stop = false;
    const Crowd writers(server, 2, updates(), stop);
    const Crowd readers(server, 4, {"SELECT sum(n) FROM t"}, stop);
    const Crowd vacuums(server, 1, {"VACUUM t", "SELECT pg_sleep(0.002)"}, stop);
    while (steady_clock::now() < until && writers.right() && readers.right() && vacuums.right())
        std::this_thread::sleep_for(10ms);
    return writers.right() && readers.right() && vacuums.right();
}

// After each burst, when all is quiet, the horizon is what a fresh scan says.
bool no_horizon_is_left_behind(Stage& stage) {
    auto& server = stage.start({{"snapshot_cache_delays", "on"}});
    Client reader(server);
    const auto until = steady_clock::now() + (stage.mutant().empty() ? 5s : 60s);
    while (steady_clock::now() < until) {
        std::atomic<bool> stop = false;
        {
            const Crowd writers(server, 1, updates(), stop);
            const Crowd readers(server, 4, {"SELECT 1"}, stop);
            std::this_thread::sleep_for(15ms);
        }
        const auto lag =
            reader.number("SELECT xmax::text::int8 - recent_global_xmin::text::int8 FROM snapscope_snapshot()");
        if (lag != 0)
            return false;
    }
    return true;
}

// A builder that sleeps in the middle of its work holds up nobody: those that
// spin for it give up and scan by themselves.
bool nobody_waits_for_a_builder_that_sleeps(Stage& stage) {
    auto& server = stage.start({});
    Client writer(server);
    Client builder(server);
    Client other(server);
    if (!builder.run("SET snapshot_cache_pause = 'building'"))
        return false;
    // Who comes first after the wipe builds; it is to be the one that pauses.
    for (int attempt = 0; attempt < 50; ++attempt) {
        if (!writer.run("UPDATE t SET n = n + 1 WHERE id = 1") || !builder.send("SELECT 1"))
            return false;
        std::this_thread::sleep_for(50ms);
        const bool served = other.run("SELECT 1");
        const bool builds = builder.busy();
        const auto spins = other.number("SELECT sum(spins)::int8 FROM pg_stat_snapshot_cache");
        const auto gave_up = other.number("SELECT sum(gave_up)::int8 FROM pg_stat_snapshot_cache");
        if (!served || !Stage::go_on(other) || !builder.finish())
            return false;
        if (spins > 0)
            return builds && gave_up > 0;
    }
    return false;
}

} // namespace

std::vector<Scenario> race_scenarios() {
    return {
        {"second_look", {"lockfree"}, short_readers_beside_writers},
        {"early_publication", {"lockfree"}, short_readers_beside_writers},
        {"retract_leaves", {"lockfree"}, no_horizon_is_left_behind},
        {"spin_gives_up", {"spin"}, nobody_waits_for_a_builder_that_sleeps},
    };
}

} // namespace snapscope::test
