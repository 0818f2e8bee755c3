// Published figures of tests/cases, rendered as the tools print them, for tests.
#pragma once

#include <snapscope/base/csv.hpp>
#include <snapscope/base/files.hpp>

#include <fmt/format.h>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::test {

inline std::string case_file(const std::string& name) {
    return read_file(std::string(SNAPSCOPE_SOURCE_DIR) + "/tests/cases/" + name, 1U << 20U).value();
}

// Rows of a case by column name.
inline std::vector<std::map<std::string, std::string>> case_rows(const std::string& name) {
    const std::string text = case_file(name);
    CsvReader reader(text, ',');
    std::vector<std::string> header;
    std::vector<std::map<std::string, std::string>> out;
    while (reader.more()) {
        const auto record = reader.next().value();
        if (header.empty()) {
            header = record.cells;
            continue;
        }
        out.emplace_back();
        for (std::size_t i = 0; i < header.size(); ++i)
            out.back()[header[i]] = record.cells.at(i);
    }
    return out;
}

inline std::string replaced(std::string text, std::string_view from, std::string_view to) {
    for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
        text.replace(at, from.size(), to);
    return text;
}

// The whole report of h03 as `perf c2c report --stdio` prints it.
std::string c2c_report();
// pcm's CSV of two sockets with `links` links, in a dialect.
struct PcmDialect {
    char separator = ',';
    bool repeat_groups = true; // over every column, as since 2020
    int links = 3;
};
std::string pcm_csv(const PcmDialect& dialect, int rows);
// h06-upi-pingpong-links.csv as pcm's screen.
std::string pcm_screen();

} // namespace snapscope::test
