// What the guest says on its serial line, a line of text at a time.
#pragma once

#include <snapscope/emulator/emulation.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::emulator {

class GuestReport {
  public:
    // All that the guest has said so far; takes in the lines that are new.
    [[nodiscard]] Status take(std::string_view text, const Progress& progress);

    [[nodiscard]] const ServerInGuest& server() const { return server_; }
    [[nodiscard]] const std::vector<std::uint32_t>& sockets() const { return sockets_; }
    [[nodiscard]] std::uint64_t phase() const { return phase_; } // the last that was announced
    [[nodiscard]] bool done() const { return done_; }
    // pgbench's output, of the load before the first phase and then of each.
    [[nodiscard]] const std::vector<std::string>& loads() const { return loads_; }
    // How far the guest came, in words.
    [[nodiscard]] const std::string& state() const { return state_; }

  private:
    [[nodiscard]] Status take_line(std::string_view line, const Progress& progress);
    void enter(std::string state, const Progress& progress);

    std::size_t taken_ = 0;
    ServerInGuest server_;
    std::vector<std::uint32_t> sockets_;
    std::vector<std::string> loads_;
    std::uint64_t phase_ = 0;
    bool done_ = false;
    std::string state_ = "booting the machine";
};

} // namespace snapscope::emulator
