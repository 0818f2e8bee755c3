// What a server's binary says about itself, without running it.
#pragma once

#include <snapscope/base/result.hpp>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct BinaryFacts {
    std::optional<std::string> build_id;       // hex
    std::optional<std::string> version;        // "13.16", "15.20 (Debian 15.20-0+deb12u1)"
    std::vector<std::string> snapscope_probes; // USDT probes of provider snapscope, sorted, each once
    std::vector<std::string> server_probes;    // the same of provider postgresql
};

// The text after "postgres (PostgreSQL) " in read-only data, up to the line end.
[[nodiscard]] std::optional<std::string> find_version(std::string_view read_only_data);

// FILE may be a procfs exe link.  A file that is no ELF file is an error; a
// fact that it does not state is absent.
[[nodiscard]] Result<BinaryFacts> read_binary(const std::filesystem::path& file);

} // namespace snapscope
