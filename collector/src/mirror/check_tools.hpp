// What checks of the anatomy are written with.
#pragma once

#include "anatomy_checks.hpp"

#include <fmt/format.h>

namespace snapscope::mirror {

template <typename Found, typename Expected>
[[nodiscard]] tl::unexpected<Error> differs(const char* what, const Found& found, const Expected& expected) {
    return fail(fmt::format("{} is {}, expected {}", what, found, expected));
}

// Reads a T at ADDRESS into OUT.
template <typename T> [[nodiscard]] Status take(const Memory& memory, Address address, T& out) {
    auto value = load<T>(memory, address);
    if (!value)
        return fail(value.error());
    out = *value;
    return {};
}

[[nodiscard]] inline Status read_all(const Memory& memory, Address from, std::vector<std::byte>& to) {
    const Piece piece{from, to};
    return memory.read(std::span(&piece, 1));
}

} // namespace snapscope::mirror
