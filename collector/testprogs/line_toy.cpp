#include "line_toy.hpp"

#include <snapscope/collector/line_timer.hpp>

#include <algorithm>
#include <load_samples.hpp>
#include <load_threshold.hpp>
#include <memory>
#include <numeric>
#include <pinned_pair.hpp>
#include <random>
#include <topology.hpp>
#include <vector>

namespace snapscope::toy {
namespace {

constexpr std::uint32_t reader_turn = 0, writer_turn = 1;
// At 2 cycles a ns: 0.2 to 1 us.
constexpr std::uint64_t least_space_cycles = 400, most_space_cycles = 2000;

struct alignas(LineTimer::line_bytes) ToyLine {
    std::uint32_t word = 0;
};

class Toy {
  public:
    Toy(const LineToyPlan& plan, const LoadThreshold& threshold, std::uint64_t seed)
        : plan_(plan), turns_(plan.at_most), lines_(plan.lines), dirty_(plan.lines), order_(plan.lines),
          timer_(lines_.data(), plan.lines, threshold.cycles, seed), random_(seed) {
        std::iota(order_.begin(), order_.end(), std::size_t{0});
    }

    Result<LineToyRound> run(std::uint32_t reader, std::uint32_t writer) {
        SNAPSCOPE_TRY(run_pinned(
            reader, writer, turns_, [this] { read(); }, [this] { write(); }));
        if (out_.loads() < plan_.loads)
            return fail("the toy got too little CPU time", "end what else runs");
        return out_;
    }

  private:
    void read() {
        for (std::uint32_t i = 0; i < plan_.loads; ++i) {
            scan();
            turns_.give(writer_turn);
            if (!turns_.await(reader_turn))
                return;
            const auto load = timer_.load_one();
            (dirty_[load.line] != 0 ? out_.dirty_loads : out_.clean_loads) += 1;
            if (load.left)
                (dirty_[load.line] != 0 ? out_.dirty_slow : out_.clean_slow) += 1;
        }
    }

    // As a snapshot does; every line is here afterwards.
    void scan() {
        for (const ToyLine& line : lines_)
            static_cast<void>(*static_cast<const volatile std::uint32_t*>(&line.word));
    }

    void write() {
        std::uniform_int_distribution<std::uint64_t> space(least_space_cycles, most_space_cycles);
        while (turns_.await(writer_turn)) {
            std::ranges::shuffle(order_, random_);
            std::ranges::fill(dirty_, std::uint8_t{0});
            for (std::size_t i = 0; i < plan_.dirtied; ++i) {
                volatile std::uint32_t& word = lines_[order_[i]].word;
                word = word + 1;
                dirty_[order_[i]] = 1;
                for (const std::uint64_t until = cycles_now() + (plan_.spaced ? space(random_) : 0);
                     cycles_now() < until;) {
                }
            }
            turns_.give(reader_turn);
        }
    }

    LineToyPlan plan_;
    Turns turns_;
    std::vector<ToyLine> lines_;
    std::vector<std::uint8_t> dirty_; // the truth
    std::vector<std::size_t> order_;
    LineTimer timer_;
    std::mt19937_64 random_;
    LineToyRound out_;
};

} // namespace

Result<std::pair<std::uint32_t, std::uint32_t>> two_cpus() {
    const auto topology = topology_of_host();
    if (!topology)
        return fail(topology.error());
    const auto cpus = allowed_cpus(*topology);
    for (const Cpu& other : cpus)
        if (other.core != cpus.front().core)
            return std::pair(cpus.front().cpu, other.cpu);
    return fail("no two cores to run on", "widen the affinity mask", ErrorClass::unavailable);
}

Result<LoadThreshold> toy_threshold(std::uint32_t reader, std::uint32_t writer) {
    auto samples = time_loads(reader, writer, {});
    if (!samples)
        return fail(samples.error());
    const auto threshold = choose_threshold((*samples)[static_cast<std::size_t>(LineState::own)],
                                            (*samples)[static_cast<std::size_t>(LineState::dirty_remote)]);
    if (!threshold)
        return fail("too few loads for a threshold: the CPUs are busy", "", ErrorClass::unavailable);
    return *threshold;
}

Result<LineToyRound> run_line_toy(std::uint32_t reader, std::uint32_t writer, const LineToyPlan& plan,
                                  const LoadThreshold& threshold, std::uint64_t seed) {
    return std::make_unique<Toy>(plan, threshold, seed)->run(reader, writer);
}

} // namespace snapscope::toy
