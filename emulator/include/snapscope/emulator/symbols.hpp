// Names of a binary's functions and variables, out of its symbol tables.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::emulator {

class Symbols {
  public:
    // An ELF file of this machine; one without any symbols is read, too.
    [[nodiscard]] static Result<Symbols> read(const std::filesystem::path& file);

    // Addresses are those that the file was linked to.
    [[nodiscard]] std::optional<std::uint64_t> variable(std::string_view name) const;
    [[nodiscard]] std::optional<std::uint64_t> function(std::string_view name) const;
    // Its length in bytes; 0 where there is none.
    [[nodiscard]] std::uint64_t function_bytes(std::string_view name) const;
    // The function that has the instruction at ADDRESS; empty where none has.
    [[nodiscard]] std::string function_at(std::uint64_t address) const;
    // Where the file's first byte was linked to, and whether it may be loaded elsewhere.
    [[nodiscard]] std::uint64_t first_byte() const { return first_byte_; }
    [[nodiscard]] bool relocatable() const { return relocatable_; }

  private:
    struct Function {
        std::uint64_t address = 0, bytes = 0;
        std::string name;
    };
    std::map<std::string, std::uint64_t, std::less<>> variables_, functions_;
    std::vector<Function> by_address_;
    std::uint64_t first_byte_ = 0;
    bool relocatable_ = false;
};

// Where functions of FILE with these names call or jump to the function CALLEE
// by its address; x86-64, as linked.
[[nodiscard]] Result<std::vector<std::uint64_t>> call_sites(const std::filesystem::path& file, const Symbols& symbols,
                                                            const std::vector<std::string>& callers,
                                                            const std::string& callee);

} // namespace snapscope::emulator
