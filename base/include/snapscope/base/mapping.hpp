// The owner of a memory mapping.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <utility>

namespace snapscope {

class Mapping {
  public:
    Mapping() = default;
    Mapping(Mapping&& other) noexcept
        : address_(std::exchange(other.address_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Mapping& operator=(Mapping&& other) noexcept {
        if (this != &other) {
            reset();
            address_ = std::exchange(other.address_, nullptr);
            bytes_ = std::exchange(other.bytes_, 0);
        }
        return *this;
    }
    Mapping(const Mapping&) = delete;
    Mapping& operator=(const Mapping&) = delete;
    ~Mapping() { reset(); }

    // Maps [offset, offset + bytes) of FD shared; `what` names it in the error.
    static Result<Mapping> shared(int fd, std::size_t offset, std::size_t bytes, bool writable,
                                  const std::string& what);

    [[nodiscard]] std::byte* data() const { return static_cast<std::byte*>(address_); }
    [[nodiscard]] std::size_t size() const { return bytes_; }
    [[nodiscard]] explicit operator bool() const { return address_ != nullptr; }
    void reset() noexcept;

  private:
    void* address_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace snapscope
