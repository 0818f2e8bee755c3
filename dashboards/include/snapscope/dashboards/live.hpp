// The live page: the sections of a report, written again for every window, and
// the page that shows them.  Used by `snapscope serve`.
#pragma once

#include <snapscope/recording/run.hpp>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace snapscope {

struct LiveContents {
    std::string label;          // which server
    Run figures;                // of the last moments
    Run series;                 // of all that is kept; times count from its clock.start_ns
    std::size_t drawn_from = 0; // windows of the series that the page has already
};

// {"html","views","arrays"}: the markup of the sections, what the script draws
// in them, and the numbers of that (pack.hpp) as base64.
[[nodiscard]] nlohmann::json live_sections(const LiveContents& contents);

// The page with its first contents, so that it reads with scripts off, too;
// `state` is what the server says beside the sections.
[[nodiscard]] std::string live_page(const std::optional<LiveContents>& contents, const nlohmann::json& state,
                                    const std::string& tool);

// The Content-Security-Policy of that page, for its header.
[[nodiscard]] const std::string& live_policy();

} // namespace snapscope
