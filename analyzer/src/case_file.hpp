// A published table of tests/cases, and ways to damage one, for tests.
#pragma once

#include <snapscope/base/files.hpp>

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::test {

inline std::string case_file(const std::string& name) {
    return read_file(std::string(SNAPSCOPE_SOURCE_DIR) + "/tests/cases/" + name, 1U << 20U).value();
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

// Forms of one table that say the same.
inline std::vector<std::string> same_tables(const std::string& csv) {
    return {csv,
            "\xef\xbb\xbf" + csv,
            replaced(csv, "\n", "\r\n"),
            replaced(csv, ",", ";"),
            replaced(csv, ",", "\t"),
            "# a note\n\n" + csv};
}

} // namespace snapscope::test
