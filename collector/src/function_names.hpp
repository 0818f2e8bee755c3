// The function that an instruction of a server's process belongs to, by the
// symbols of the running binary; what lies elsewhere is named by its file.
#pragma once

#include "mirror/process_maps.hpp"

#include <snapscope/collector/procfs.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace snapscope {

struct FunctionSymbol {
    std::uint64_t begin = 0, bytes = 0; // as linked
    std::string name;
};

// Every function of an ELF file, by address.  A stripped one has its exported ones alone.
[[nodiscard]] Result<std::vector<FunctionSymbol>> read_functions(const std::string& file);

class FunctionNames {
  public:
    FunctionNames() = default;
    FunctionNames(std::vector<mirror::Mapped> maps, std::string exe, std::vector<FunctionSymbol> functions,
                  std::uint64_t load_bias);
    // Of the postmaster; all its backends are forked from it.  Where its memory
    // map may not be read, every name is "?".
    static FunctionNames of_server(const ProcFs& proc, pid_t postmaster);

    // "GetSnapshotData", "libc.so.6", "[kernel]", "?"
    [[nodiscard]] std::string of(std::uint64_t ip) const;

  private:
    std::vector<mirror::Mapped> maps_;
    std::string exe_;
    std::vector<FunctionSymbol> functions_;
    std::uint64_t load_bias_ = 0;
};

} // namespace snapscope
