// A program that is run to its end, within a limit and until somebody asks to stop.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/lab/process.hpp>

#include <atomic>
#include <chrono>
#include <string>

namespace snapscope::emulator {

// Its stdout.  Anything but exit status 0 is an error that begins with WHAT.
[[nodiscard]] Result<std::string> run_program(Command command, std::chrono::seconds limit,
                                              const std::atomic<bool>* stop, const std::string& what);

[[nodiscard]] tl::unexpected<Error> interrupted();

} // namespace snapscope::emulator
