// Exported symbols of a server's binary: where its functions begin, and where
// its variables lie once the load base is known.  Debug symbols are not needed.
#pragma once

#include <snapscope/base/result.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <optional>
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
    std::map<std::string, Symbol, std::less<>> symbols; // of those asked for, the ones that it exports
    std::uint64_t first_page = 0;                       // virtual address of what is mapped from offset 0

    [[nodiscard]] const Symbol* find(std::string_view name) const;
};

// FILE may be a procfs exe link.
[[nodiscard]] Result<ElfSymbols> read_symbols(const std::string& file, const std::vector<std::string>& names);

// Where FILE's offset 0 is mapped, by device and inode, or by the name as the
// kernel prints it where a file system shows others there; MAPS is the text of
// procfs.  nullopt: not mapped.
struct FileIdentity {
    std::uint32_t device_major = 0, device_minor = 0;
    std::uint64_t inode = 0;
    std::string name;
};
[[nodiscard]] std::optional<std::uint64_t> find_mapped_start(std::string_view maps, const FileIdentity& file);

} // namespace snapscope
