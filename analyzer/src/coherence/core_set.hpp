// A set of cores (or of CPUs) as a bit mask of a fixed number of words.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace snapscope {

template <std::size_t Words> class CoreSet {
  public:
    [[nodiscard]] bool has(std::uint32_t core) const { return ((words_[core / 64] >> (core % 64)) & 1U) != 0; }
    void add(std::uint32_t core) { words_[core / 64] |= std::uint64_t{1} << (core % 64); }
    void remove(std::uint32_t core) { words_[core / 64] &= ~(std::uint64_t{1} << (core % 64)); }
    void only(std::uint32_t core) {
        words_.fill(0);
        add(core);
    }
    void clear() { words_.fill(0); }
    [[nodiscard]] bool empty() const {
        std::uint64_t any = 0;
        for (const std::uint64_t word : words_)
            any |= word;
        return any == 0;
    }
    [[nodiscard]] std::uint32_t size() const {
        std::uint32_t count = 0;
        for (const std::uint64_t word : words_)
            count += static_cast<std::uint32_t>(std::popcount(word));
        return count;
    }
    [[nodiscard]] bool meets(const CoreSet& other) const {
        std::uint64_t common = 0;
        for (std::size_t i = 0; i < Words; ++i)
            common |= words_[i] & other.words_[i];
        return common != 0;
    }
    // Whether it has a core that OTHER has not.
    [[nodiscard]] bool exceeds(const CoreSet& other) const {
        std::uint64_t beyond = 0;
        for (std::size_t i = 0; i < Words; ++i)
            beyond |= words_[i] & ~other.words_[i];
        return beyond != 0;
    }

  private:
    std::array<std::uint64_t, Words> words_{};
};

} // namespace snapscope
