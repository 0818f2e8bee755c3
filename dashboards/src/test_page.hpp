// What tests ask of a page: its markup apart from what is embedded, whether
// every element is closed, and which markup a page must never hold.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::test {

// Whether the text is there; says what is missing, and not the whole page.
[[nodiscard]] inline testing::AssertionResult holds(const std::string& page, const std::string& text) {
    return page.find(text) != std::string::npos ? testing::AssertionSuccess() << "it holds " << text
                                                : testing::AssertionFailure() << "it does not hold " << text;
}

// How often the text is there.
[[nodiscard]] inline std::size_t count(const std::string& text, const std::string& what) {
    std::size_t out = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
        ++out;
    return out;
}

// The page without the contents of its script and style elements.
[[nodiscard]] inline std::string markup_of(const std::string& page) {
    std::string out;
    std::size_t at = 0;
    for (;;) {
        std::size_t next = std::string::npos;
        std::string end;
        for (const char* name : {"script", "style"})
            if (const auto found = page.find(std::string("<") + name, at); found < next) {
                next = found;
                end = std::string("</") + name + ">";
            }
        if (next == std::string::npos)
            return out + page.substr(at);
        const auto open_end = page.find('>', next) + 1;
        out += page.substr(at, open_end - at);
        at = page.find(end, open_end);
    }
}

// The first element that is not closed where it should be; empty: none.
[[nodiscard]] inline std::string unbalanced(const std::string& markup) {
    std::vector<std::string> open;
    for (std::size_t at = markup.find('<'); at != std::string::npos; at = markup.find('<', at + 1)) {
        const auto end = markup.find('>', at);
        if (end == std::string::npos)
            return "a tag without end";
        const std::string tag = markup.substr(at + 1, end - at - 1);
        if (tag.starts_with("!DOCTYPE") || tag.ends_with("/"))
            continue;
        const std::string name =
            tag.substr(tag.starts_with("/") ? 1 : 0, tag.find_first_of(" >", 1) - (tag.starts_with("/") ? 1 : 0));
        if (!tag.starts_with("/")) {
            open.push_back(name);
            continue;
        }
        if (open.empty() || open.back() != name)
            return tag;
        open.pop_back();
    }
    return open.empty() ? "" : open.back();
}

} // namespace snapscope::test
