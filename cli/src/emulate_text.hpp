// What `snapscope emulate` prints.
#pragma once

#include "output.hpp"

#include <snapscope/emulator/row.hpp>

#include <span>
#include <string>

namespace snapscope::cli {

// A row a mode: accesses and transfers a snapshot.
[[nodiscard]] Table emulate_table(std::span<const emulator::EmulatedRow> rows);

// Everything, in words and tables.
[[nodiscard]] std::string emulate_text(std::span<const emulator::EmulatedRow> rows, const emulator::Machine& machine,
                                       const Terminal& terminal);

} // namespace snapscope::cli
