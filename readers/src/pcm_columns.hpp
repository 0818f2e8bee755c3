// pcm's columns in our names.  A table, so that a new column is a new row.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace snapscope {

struct PcmMeaning {
    std::string name, unit;
    double scale = 1; // of the file's figure, to `unit` an interval
};

// Group and name as the file has them; nullopt for what is not taken.
[[nodiscard]] std::optional<PcmMeaning> pcm_meaning(std::string_view group, std::string_view name);

// A percent column of links: known, and not used.
[[nodiscard]] bool is_link_percent(std::string_view group);

} // namespace snapscope
