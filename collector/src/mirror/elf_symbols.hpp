// Addresses of variables in a binary, out of its dynamic symbol table, which a
// stripped one also has, and its full one where there is any.
#pragma once

#include "memory.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace snapscope::mirror {

struct BinarySymbols {
    std::map<std::string, Address> addresses; // as linked; those that were found
    Address first_byte = 0;                   // where the file's first byte was linked to
};

// FILE may be a procfs exe link.  No ELF file for this machine: an error.
[[nodiscard]] Result<BinarySymbols> read_symbols(const std::filesystem::path& file,
                                                 const std::vector<std::string>& names);

} // namespace snapscope::mirror
