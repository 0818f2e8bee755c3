// A socket that listens on an address of this host.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <cstdint>
#include <string>

namespace snapscope {

struct Listening {
    UniqueFd socket;
    std::uint16_t port = 0;
};

// ADDRESS in numbers (127.0.0.1, ::1, 0.0.0.0); PORT 0 is any free one.  What
// the kernel keeps for a client that takes nothing is bounded.
[[nodiscard]] Result<Listening> listen_on(const std::string& address, std::uint16_t port);

// Whether ADDRESS is one in numbers, and whether only this host reaches it.
[[nodiscard]] bool is_address(const std::string& address);
[[nodiscard]] bool is_loopback(const std::string& address);

} // namespace snapscope
