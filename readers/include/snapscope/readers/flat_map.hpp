// A hash table from 64-bit keys to values that only grows: open addressing over
// a dense list.  Used where a million samples are counted, several look-ups each.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace snapscope {

template <typename V> class FlatMap {
  public:
    // Added where it is not there; references hold until the next call.
    V& operator[](std::uint64_t key) {
        if (2 * (entries_.size() + 1) > places_.size())
            grow();
        const std::size_t place = place_of(key);
        if (places_[place] == 0) {
            entries_.emplace_back(key, V{});
            places_[place] = static_cast<std::uint32_t>(entries_.size());
        }
        return entries_[places_[place] - 1].second;
    }
    [[nodiscard]] const V* find(std::uint64_t key) const {
        if (places_.empty())
            return nullptr;
        const std::size_t place = place_of(key);
        return places_[place] == 0 ? nullptr : &entries_[places_[place] - 1].second;
    }

    [[nodiscard]] std::size_t size() const { return entries_.size(); }
    [[nodiscard]] auto begin() const { return entries_.begin(); }
    [[nodiscard]] auto end() const { return entries_.end(); }

  private:
    // Where KEY is, or would be put.
    [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
        constexpr std::uint64_t golden = 0x9e3779b97f4a7c15;
        const std::size_t mask = places_.size() - 1;
        std::size_t place = static_cast<std::size_t>((key * golden) >> 32U) & mask;
        while (places_[place] != 0 && entries_[places_[place] - 1].first != key)
            place = (place + 1) & mask;
        return place;
    }
    void grow() {
        places_.assign(places_.empty() ? 64 : 2 * places_.size(), 0);
        for (std::size_t i = 0; i < entries_.size(); ++i)
            places_[place_of(entries_[i].first)] = static_cast<std::uint32_t>(i + 1);
    }

    std::vector<std::pair<std::uint64_t, V>> entries_; // in the order in which they came
    std::vector<std::uint32_t> places_;                // index into entries_ and 1; 0: free
};

} // namespace snapscope
