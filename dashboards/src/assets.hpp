// What page/build.mjs bundled, as text, and what the policy of the page says of it.
#pragma once

#include <string_view>

namespace snapscope::assets {

extern const std::string_view script;      // of a report
extern const std::string_view live_script; // of the live page
extern const std::string_view style;
extern const std::string_view script_hash; // sha256-...
extern const std::string_view live_script_hash;
extern const std::string_view style_hash;

} // namespace snapscope::assets
