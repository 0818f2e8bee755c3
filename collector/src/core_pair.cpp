#include "core_pair.hpp"

#include "pinned_pair.hpp"

#include <snapscope/collector/timed_load.hpp>

#include <algorithm>
#include <memory>

namespace snapscope {
namespace {

// Whose turn it is; B stamps only where it is asked to, since reading the
// counter takes part of a trip's time.
constexpr std::uint32_t ball_at_a = 0, ball_at_b = 1, ball_asks_b = 2;

// The line that travels, and what B read of its counter when it arrived.
struct alignas(apart_bytes) Ball {
    std::atomic<std::uint32_t> side{0};
    std::atomic<std::uint64_t> stamp{0};
};

class Bouncing {
  public:
    explicit Bouncing(const BouncePlan& plan) : plan_(plan), turns_(plan.at_most) {}

    Result<Bounces> run(std::uint32_t cpu_a, std::uint32_t cpu_b) {
        SNAPSCOPE_TRY(run_pinned(
            cpu_a, cpu_b, turns_, [this] { play(); }, [this] { answer(); }));
        out_.rounds_lost = plan_.rounds - out_.one_way_cycles.size();
        return std::move(out_);
    }

  private:
    [[nodiscard]] bool send(std::uint32_t to) {
        return turns_.spin([&] {
            std::uint32_t side = ball_at_a;
            return ball_.side.compare_exchange_strong(side, to, std::memory_order_acq_rel);
        });
    }
    [[nodiscard]] bool is_back() {
        return turns_.spin([&] { return ball_.side.load(std::memory_order_acquire) == ball_at_a; });
    }

    void play() {
        out_.one_way_cycles.reserve(plan_.rounds);
        for (std::uint32_t round = 0; round < plan_.rounds && !turns_.over(); ++round) {
            const std::uint64_t begin = cycles_now();
            for (std::uint32_t i = 0; i < plan_.bounces; ++i)
                if (!send(ball_at_b))
                    return;
            if (!is_back())
                return;
            const std::uint64_t end = cycles_now();
            out_.one_way_cycles.push_back(static_cast<double>(end - begin) / (2.0 * plan_.bounces));
            compare_counters();
        }
    }

    // Some trips with stamps, a round: each direction's least is kept.
    void compare_counters() {
        constexpr int trips = 8;
        for (int i = 0; i < trips; ++i) {
            const std::uint64_t left = cycles_now();
            if (!send(ball_asks_b) || !is_back())
                return;
            const std::uint64_t back = cycles_now();
            const std::uint64_t there = ball_.stamp.load(std::memory_order_relaxed);
            const auto there_took = static_cast<std::int64_t>(there - left);
            const auto back_took = static_cast<std::int64_t>(back - there);
            out_.least_there_cycles = seen_ ? std::min(out_.least_there_cycles, there_took) : there_took;
            out_.least_back_cycles = seen_ ? std::min(out_.least_back_cycles, back_took) : back_took;
            seen_ = true;
        }
    }

    void answer() {
        const auto arrived = [&] {
            std::uint32_t side = ball_at_b;
            if (ball_.side.compare_exchange_strong(side, ball_at_a, std::memory_order_acq_rel))
                return true;
            if (side != ball_asks_b)
                return false;
            ball_.stamp.store(cycles_now(), std::memory_order_relaxed);
            ball_.side.store(ball_at_a, std::memory_order_release);
            return true;
        };
        while (turns_.spin(arrived)) {
        }
    }

    BouncePlan plan_;
    Turns turns_;
    Ball ball_;
    Bounces out_;
    bool seen_ = false;
};

} // namespace

Result<Bounces> bounce_line(std::uint32_t cpu_a, std::uint32_t cpu_b, const BouncePlan& plan) {
    return std::make_unique<Bouncing>(plan)->run(cpu_a, cpu_b);
}

} // namespace snapscope
