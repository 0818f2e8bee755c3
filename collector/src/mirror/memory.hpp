// Another process's memory as the mirror reads it: addresses are those of that
// process.  What reads is one of remote_memory.hpp (system calls),
// shared_mapping.hpp (a read-only mapping) and, in tests, an image.
#pragma once

#include <snapscope/base/result.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace snapscope::mirror {

using Address = std::uint64_t;

struct Piece {
    Address from = 0;
    std::span<std::byte> to;
};

class Memory {
  public:
    Memory() = default;
    Memory(const Memory&) = delete;
    Memory& operator=(const Memory&) = delete;
    Memory(Memory&&) = default;
    Memory& operator=(Memory&&) = default;
    virtual ~Memory() = default;

    // Fills all pieces, in their order, or fails; aligned words of up to 8 bytes
    // are never seen half written.
    [[nodiscard]] virtual Status read(std::span<const Piece> pieces) const = 0;
};

template <typename T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] Result<T> load(const Memory& memory, Address from) {
    T value{};
    const Piece piece{from, std::as_writable_bytes(std::span(&value, 1))};
    SNAPSCOPE_TRY(memory.read(std::span(&piece, 1)));
    return value;
}

// The T at OFFSET of BYTES, which must reach that far.
template <typename T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] T field_at(std::span<const std::byte> bytes, std::size_t offset) {
    T value{};
    const auto from = bytes.subspan(offset, sizeof value);
    std::copy(from.begin(), from.end(), std::as_writable_bytes(std::span(&value, 1)).begin());
    return value;
}

} // namespace snapscope::mirror
