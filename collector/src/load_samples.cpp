#include "load_samples.hpp"

#include "pinned_pair.hpp"

#include <snapscope/collector/timed_load.hpp>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>

namespace snapscope {
namespace {

constexpr std::size_t line_count = 64;
constexpr std::size_t page_bytes = 4096;
// Consecutive lines fall into consecutive sets of the cache.
constexpr std::size_t stride_bytes = page_bytes + 64;
// Far enough within the page that no pair or stream of lines joins the two.
constexpr std::size_t elsewhere_bytes = page_bytes / 2;

class Lines {
  public:
    Lines() : memory_(line_count * stride_bytes + 2 * page_bytes) {
        void* place = memory_.data();
        std::size_t room = memory_.size();
        first_ = static_cast<unsigned char*>(std::align(page_bytes, line_count * stride_bytes, place, room));
    }
    [[nodiscard]] volatile unsigned char* at(std::size_t i) const { return first_ + i * stride_bytes; }
    void touch_page(std::size_t i) const { static_cast<void>(*(at(i) + elsewhere_bytes)); }

  private:
    std::vector<unsigned char> memory_;
    unsigned char* first_ = nullptr;
};

// Each line once, in an order that differs each time; a side has one of its own.
class Shuffled {
  public:
    explicit Shuffled(unsigned int seed) : random_(seed) { std::iota(order_.begin(), order_.end(), std::size_t{0}); }
    template <typename F> void each(F visit) {
        std::ranges::shuffle(order_, random_);
        std::ranges::for_each(order_, visit);
    }

  private:
    std::mt19937 random_;
    std::array<std::size_t, line_count> order_{};
};

// Turns: the reader asks the owner to bring the lines into a state.
constexpr std::uint32_t reader_turn = 0;
constexpr std::uint32_t turn_of(LineState state) {
    return 1 + static_cast<std::uint32_t>(state);
}

class Timing {
  public:
    explicit Timing(const LoadPlan& plan) : plan_(plan), turns_(plan.at_most) {}

    Result<LoadSamples> run(std::uint32_t reader, std::uint32_t owner) {
        SNAPSCOPE_TRY(run_pinned(
            reader, owner, turns_, [this] { read(); }, [this] { own(); }));
        return std::move(samples_);
    }

  private:
    // States take turns, so that a clock that changes or a busy moment meets them all.
    void read() {
        for (auto& samples : samples_)
            samples.reserve(plan_.batches * line_count);
        for (std::uint32_t batch = 0; batch < plan_.batches; ++batch)
            for (std::size_t state = 0; state < line_state_count; ++state)
                if (turns_.over() || !read_batch(static_cast<LineState>(state)))
                    return;
    }

    bool read_batch(LineState state) {
        if (state == LineState::clean_remote || state == LineState::dram)
            reading_.each([&](std::size_t i) { flush(i); });
        if (state == LineState::clean_remote || state == LineState::dirty_remote) {
            turns_.give(turn_of(state));
            if (!turns_.await(reader_turn))
                return false;
        }
        auto& samples = samples_.at(static_cast<std::size_t>(state));
        reading_.each([&](std::size_t i) {
            lines_.touch_page(i);
            if (state == LineState::own)
                static_cast<void>(*lines_.at(i));
            samples.push_back(timed_load(const_cast<const unsigned char*>(lines_.at(i))));
        });
        return true;
    }

    void flush(std::size_t i) { flush_line(const_cast<const unsigned char*>(lines_.at(i))); }

    void own() {
        std::uint32_t asked = reader_turn;
        while (turns_.spin([&] { return (asked = turns_.turn()) != reader_turn; })) {
            owning_.each([&](std::size_t i) {
                volatile unsigned char* const line = lines_.at(i);
                const unsigned char value = *line;
                if (asked == turn_of(LineState::dirty_remote))
                    *line = static_cast<unsigned char>(value + 1);
            });
            turns_.give(reader_turn);
        }
    }

    LoadPlan plan_;
    Turns turns_;
    Lines lines_;
    Shuffled reading_{1}, owning_{2};
    LoadSamples samples_;
};

} // namespace

Result<LoadSamples> time_loads(std::uint32_t reader, std::uint32_t owner, const LoadPlan& plan) {
    return std::make_unique<Timing>(plan)->run(reader, owner);
}

} // namespace snapscope
