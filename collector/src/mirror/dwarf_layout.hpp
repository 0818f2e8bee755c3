// A layout out of debug information: the binary's own, or the file of its build
// id below the target's root.
#pragma once

#include "layout.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace snapscope::mirror {

// Nullopt where there is none that describes every field of the version's
// TABLE; what debug information does not hold (counts, bits of a lock) is TABLE's.
[[nodiscard]] std::optional<Layout> layout_from_debug_information(const std::filesystem::path& binary,
                                                                  const std::filesystem::path& root,
                                                                  const std::optional<std::string>& build_id,
                                                                  const Layout& table);

} // namespace snapscope::mirror
