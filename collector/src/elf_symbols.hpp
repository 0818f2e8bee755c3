// Symbols of a server's binary, out of its dynamic symbol table, which a stripped
// one also has, and its full one where there is any: where its functions begin,
// and where its variables lie once the load base is known.
#pragma once

#include <snapscope/base/result.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// How dear a uprobe on a function's first instruction is: what the kernel
// emulates is cheap, anything else is copied out and single-stepped.
enum class FirstInstruction { push, nop, endbr, other };
inline constexpr std::size_t first_instructions = 4;
[[nodiscard]] const char* to_string(FirstInstruction kind);
// BYTES at the function's start, x86-64.
[[nodiscard]] FirstInstruction classify_instruction(const std::vector<unsigned char>& bytes);

struct Symbol {
    std::uint64_t value = 0;       // virtual address in the file
    std::uint64_t file_offset = 0; // of functions; 0 where no segment holds it
    std::vector<unsigned char> first_bytes;
};

struct ElfSymbols {
    std::map<std::string, Symbol, std::less<>> symbols; // of those asked for, the ones that it has
    std::uint64_t first_byte = 0;                       // where the file's first byte was linked to

    [[nodiscard]] const Symbol* find(std::string_view name) const;
};

// FILE may be a procfs exe link.  No ELF file for this machine: an error.
[[nodiscard]] Result<ElfSymbols> read_symbols(const std::string& file, const std::vector<std::string>& names);

} // namespace snapscope
