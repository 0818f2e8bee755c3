// JSON out of a file of a run, or why it is none, in a reader's words.
#pragma once

#include <snapscope/base/result.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace snapscope {

// `what` names the text in the error: "run.json is cut off or not JSON (byte 12)".
[[nodiscard]] inline Result<nlohmann::json> parse_json(std::string_view text, const std::string& what) {
    try {
        return nlohmann::json::parse(text);
    } catch (const nlohmann::json::parse_error& error) {
        return fail(fmt::format("{} is cut off or not JSON (byte {})", what, error.byte));
    } catch (const nlohmann::json::exception&) {
        return fail(what + " holds a number that is too large");
    }
}

} // namespace snapscope
