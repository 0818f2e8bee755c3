// Random numbers that are the same on every platform: std::mt19937_64 is
// specified to the bit, the standard distributions are not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

namespace snapscope {

class SeededRandom {
  public:
    explicit SeededRandom(std::uint64_t seed) : engine_(seed) {}
    // Uniform in [0, count); count > 0.
    std::size_t below(std::size_t count) {
        const std::uint64_t limit = UINT64_MAX - UINT64_MAX % count;
        std::uint64_t value = engine_();
        while (value >= limit)
            value = engine_();
        return static_cast<std::size_t>(value % count);
    }
    template <typename T> void shuffle(std::vector<T>& values) {
        for (std::size_t i = values.size(); i > 1; --i)
            std::swap(values[i - 1], values[below(i)]);
    }

  private:
    std::mt19937_64 engine_;
};

} // namespace snapscope
