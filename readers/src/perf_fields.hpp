// The fields of one record of perf's stream, in order, never past its end.
#pragma once

#include <snapscope/readers/perf_stream.hpp>

#include <cstring>

namespace snapscope {

// BYTES must hold it.
template <typename T> T read_at(std::span<const std::byte> bytes, std::size_t offset) {
    T value{};
    std::memcpy(&value, bytes.data() + offset, sizeof value);
    return value;
}

class FieldReader {
  public:
    explicit FieldReader(std::span<const std::byte> bytes) : rest_(bytes) {}

    std::uint64_t u64() { return next<std::uint64_t>(); }
    std::uint32_t u32() { return next<std::uint32_t>(); }
    void skip(std::uint64_t bytes) {
        if (bytes > rest_.size())
            fits_ = false;
        else
            rest_ = rest_.subspan(static_cast<std::size_t>(bytes));
    }
    // Every field so far lay inside the record.
    [[nodiscard]] bool fits() const { return fits_; }
    [[nodiscard]] bool ends_here() const { return fits_ && rest_.empty(); }

  private:
    template <typename T> T next() {
        if (rest_.size() < sizeof(T)) {
            fits_ = false;
            return 0;
        }
        const T value = read_at<T>(rest_, 0);
        rest_ = rest_.subspan(sizeof(T));
        return value;
    }

    std::span<const std::byte> rest_;
    bool fits_ = true;
};

// False where KIND's samples hold fields that this program does not ask for.
[[nodiscard]] bool read_sample_fields(FieldReader& fields, const PerfEvent& kind, PerfSample& sample);

} // namespace snapscope
