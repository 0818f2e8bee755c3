#include "parts.hpp"

// The assembler takes them in; SNAPSCOPE_PLUGIN and SNAPSCOPE_GUEST are the build's files.
__asm__(".section .rodata\n"
        ".balign 16\n"
        "snapscope_plugin_begin:\n"
        ".incbin \"" SNAPSCOPE_PLUGIN "\"\n"
        "snapscope_plugin_end:\n"
        ".balign 16\n"
        "snapscope_guest_begin:\n"
        ".incbin \"" SNAPSCOPE_GUEST "\"\n"
        "snapscope_guest_end:\n"
        ".previous\n");

extern "C" const char snapscope_plugin_begin, snapscope_plugin_end, snapscope_guest_begin, snapscope_guest_end;

namespace snapscope::emulator {

std::string_view plugin_bytes() {
    return {&snapscope_plugin_begin, &snapscope_plugin_end};
}

std::string_view guest_program_bytes() {
    return {&snapscope_guest_begin, &snapscope_guest_end};
}

} // namespace snapscope::emulator
