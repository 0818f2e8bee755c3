// The header of a server's memory file (probes/abi.h), checked.  The file is
// untrusted input: after check_header() every offset that the collector
// computes from the header lies inside the file.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/probes/abi.h>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace snapscope {

[[nodiscard]] Status check_header(const snapscope_header& header, std::uint64_t file_bytes);

// "off", "copy", "spin", "lockfree"
[[nodiscard]] const char* mode_name(std::uint32_t mode);
// Whether a server in that mode can tell a total of docs/contracts.md: in `off` a
// private scan does not know whether it waited, and what only one mode does is
// no zero in the others.
[[nodiscard]] bool mode_tells(std::uint32_t mode, std::string_view total);
// The word of docs/contracts.md for a reason, e.g. xact_end; nullptr outside the enum.
[[nodiscard]] const char* reason_name(std::uint32_t reason);
// 130016 -> "13.16"
[[nodiscard]] std::string version_text(std::uint32_t version_num);

// 64-byte lines that `entries` entries of `stride` bytes at ADDRESS span, and
// how many entries lie across two lines.
[[nodiscard]] Array describe_array(std::string name, std::uint64_t address, std::uint64_t stride_bytes,
                                   std::uint64_t entries);
[[nodiscard]] Layout layout_of(const snapscope_header& header);

} // namespace snapscope
