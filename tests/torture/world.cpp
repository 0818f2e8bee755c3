#include "world.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace snapscope::torture {

namespace {
constexpr std::size_t printed_faults = 20;
}

std::int64_t now_ns() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void Faults::report(const std::string& kind, const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (++count_ <= printed_faults)
        fmt::print("FAULT after {:.1f} s: {}: {}\n", double(now_ns() - begin_) / 1e9, kind, text);
}

Key World::first_open_list() const {
    return std::min(next_value_ / appends_per_list, lists_ - open_lists);
}

} // namespace snapscope::torture
