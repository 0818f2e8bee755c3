// The guest's plan (guest/guest.h): lines of words.
#pragma once

#include <snapscope/emulator/emulation.hpp>

#include <string>

namespace snapscope::emulator {

// Fails (class usage) for words with blanks in them, which a plan cannot hold.
[[nodiscard]] Result<std::string> guest_plan(const ServerMap& server, const Machine& machine,
                                             const EmulationOptions& options);

[[nodiscard]] std::uint64_t memory_mib_of(const EmulationOptions& options, std::uint64_t image_bytes);

} // namespace snapscope::emulator
