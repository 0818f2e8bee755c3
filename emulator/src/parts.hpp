// The plug-in and the guest's program, which the build put into this one.
#pragma once

#include <string_view>

namespace snapscope::emulator {

[[nodiscard]] std::string_view plugin_bytes();
[[nodiscard]] std::string_view guest_program_bytes();

} // namespace snapscope::emulator
