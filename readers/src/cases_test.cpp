// Published cases that no other test reads, and mutations of every table: no
// mutation becomes a zero, a crash, or a number without a mark.
#include "case_file.hpp"

#include <snapscope/readers/import.hpp>
#include <snapscope/readers/pcm.hpp>
#include <snapscope/readers/wait_profile.hpp>

#include <algorithm>
#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>

namespace snapscope {
namespace {

using test::case_file;
using test::case_rows;
using test::replaced;
using testing::Contains;
using testing::HasSubstr;

nlohmann::json case_json(const std::string& name) {
    return nlohmann::json::parse(case_file(name));
}

const PcmSeries* series_of(const PcmRecording& recording, const std::string& name) {
    const auto at = std::ranges::find(recording.series, name, &PcmSeries::name);
    return at == recording.series.end() ? nullptr : &*at;
}

TEST(Cases, ReconnectingFiguresAreNeverMixed) { // h05
    std::vector<double> tps;
    for (auto& row : case_rows("h05-pgbench-reconnect.csv")) {
        std::string text = fmt::format("query mode: {}\nnumber of transactions actually processed: {}\n"
                                       "latency average = {} ms\ntps = {} (including connections establishing)\n"
                                       "tps = {} (excluding connections establishing)\n",
                                       row["mode"], row["transactions"], row["latency_avg_ms"],
                                       row["tps_including_connect"], row["tps_excluding_connect"]);
        if (row["reconnect"] == "1")
            continue; // without its command line nothing says so: h05-pgbench-reconnect.txt
        const auto read = import_text("pgbench", text, {"file", "", {}});
        ASSERT_TRUE(read) << read.error().message();
        EXPECT_DOUBLE_EQ(*read->run.workload->tps, std::stod(row["tps_excluding_connect"]));
        tps.push_back(std::stod(row["tps_including_connect"]));
    }
    EXPECT_THAT(tps, Contains(18386.280802));
}

TEST(Cases, EveryDialectOfPcmIsReadByGroupAndName) { // h06
    const auto facts = case_json("h06-pcm-csv-dialects.json");
    std::vector<std::string> added;
    std::size_t dialects = 0;
    for (const auto& fact : facts["facts"])
        if (fact.contains("adds") && fact["adds"].is_array())
            for (const auto& column : fact["adds"])
                added.push_back(column.get<std::string>());
    for (const auto& fact : facts["facts"]) {
        test::PcmDialect dialect;
        dialect.separator = fact.value("separator", ",").front();
        dialect.repeat_groups = fact.value("group_row", "").find("only over its first") == std::string::npos;
        const auto plain = read_pcm(test::pcm_csv(dialect, 3), "pcm.csv");
        ASSERT_TRUE(plain) << fact;
        // Columns that later versions added stand in front of those that are taken.
        std::string text = test::pcm_csv(dialect, 3);
        for (const auto& column : added) {
            const std::string cell = column + dialect.separator;
            std::string more;
            std::size_t line = 0;
            for (std::size_t at = 0; at < text.size(); ++line) {
                const auto end = std::min(text.find('\n', at), text.size());
                const std::string one = text.substr(at, end - at);
                const auto front = one.find(dialect.separator, one.find(dialect.separator) + 1) + 1;
                const std::string group = dialect.repeat_groups ? std::string("System") + dialect.separator
                                                                : std::string(1, dialect.separator);
                more += one.substr(0, front) +
                        (line == 0   ? group
                         : line == 1 ? cell
                                     : "0.77" + std::string(1, dialect.separator)) +
                        one.substr(front) + (end < text.size() ? "\n" : "");
                at = end + 1;
            }
            text = more;
        }
        const auto later = read_pcm(text, "pcm.csv");
        ASSERT_TRUE(later) << later.error().message();
        EXPECT_EQ(later->rows(), 3U);
        for (const PcmSeries& series : plain->series) {
            const auto* same = series_of(*later, series.name);
            ASSERT_NE(same, nullptr) << series.name;
            EXPECT_EQ(same->values, series.values) << series.name;
        }
        ++dialects;
    }
    EXPECT_EQ(dialects, facts["facts"].size());
    // Units as published: 10^6 bytes of links, 10^9 of memory, millions of misses.
    const auto read = read_pcm(test::pcm_csv({}, 1), "pcm.csv").value();
    EXPECT_EQ(series_of(read, "l3_misses")->values[0], 2.5e6);
    EXPECT_EQ(series_of(read, "memory_read_bytes")->values[0], 3.5e9);
    EXPECT_EQ(series_of(read, "upi_in_bytes")->values[0], 4.5e6);
}

TEST(Cases, OneLinkReadsZeroThroughoutAndPercentsAreNotUsed) { // h06
    std::string text = "sample,socket,upi0,upi1,upi2,upi3,util0_pct,util1_pct,util2_pct,util3_pct\n";
    int sample = 0;
    const auto figures = case_json("h06-mlc-and-counts.json");
    for (const auto& row : figures["upi_while_mlc"])
        text +=
            fmt::format("{},{},{} M,{} M,{} M,{},1,1,1,0\n", sample++ / 2 + 1, row["socket"].get<int>(),
                        row["M"][0].get<int>(), row["M"][1].get<int>(), row["M"][2].get<int>(), row["M"][3].get<int>());
    const auto read = read_pcm(text, "links.csv");
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_THAT(read->notes, Contains(testing::AllOf(HasSubstr("upi3 of socket 0, upi3 of socket 1"),
                                                     HasSubstr("read 0 throughout"))));
    for (const PcmSeries& series : read->series)
        for (const auto& value : series.values)
            if (value && !series.column.starts_with("upi3")) {
                EXPECT_GT(*value, 90e6) << series.column << " is bytes";
            }
}

TEST(Cases, WaitsForTheProcArrayAreToldFromOtherLocks) { // h10
    const auto profile = read_wait_profile(case_file("h10-wait-sampling-aas.csv"), "waits.csv");
    ASSERT_TRUE(profile) << profile.error().message();
    EXPECT_NEAR(profile->of_proc_array(), 6.35, 1e-9);
    EXPECT_NEAR(profile->sessions(), 57.88, 1e-9);
    ASSERT_EQ(profile->larger_locks().size(), 1U);
    EXPECT_EQ(profile->larger_locks()[0].event, "XactSLRU");
    const auto run = import_text("waits", case_file("h10-wait-sampling-aas.csv"), {"waits.csv", "", {}});
    ASSERT_TRUE(run);
    EXPECT_FALSE(run->partial);
    EXPECT_THAT(run->run.warnings,
                Contains(HasSubstr("6.35 of 57.88 average sessions wait for the proc array (11.0 %)")));
    EXPECT_THAT(run->run.warnings, Contains(HasSubstr("other locks hold up more: XactSLRU 6.82")));
}

// ---- mutations ----

struct Mutation {
    const char* name;
    std::function<std::string(std::string)> of;
    bool harmless = false; // the same figures, written otherwise
};

std::string change_line(const std::string& text, std::size_t line,
                        const std::function<std::string(std::string)>& change) {
    std::string out;
    std::size_t number = 0;
    for (std::size_t at = 0; at < text.size(); ++number) {
        const auto end = std::min(text.find('\n', at), text.size());
        const std::string one = text.substr(at, end - at);
        out += (number == line ? change(one) : one) + (end < text.size() ? "\n" : "");
        at = end + 1;
    }
    return out;
}

// Of the cell that holds CELL in line 2, the first row of figures.
Mutation cell_becomes(const char* name, const std::string& cell, const std::string& with) {
    return {name, [=](const std::string& text) {
                return change_line(text, 1, [&](std::string line) { return replaced(std::move(line), cell, with); });
            }};
}

std::vector<Mutation> mutations_of(const std::string& cell) {
    std::vector<Mutation> out{
        {"semicolons", [](std::string text) { return replaced(std::move(text), ",", ";"); }, true},
        {"CRLF", [](std::string text) { return replaced(std::move(text), "\n", "\r\n"); }, true},
        {"byte-order mark", [](const std::string& text) { return "\xef\xbb\xbf" + text; }, true},
        {"repeated header", [](const std::string& text) { return text + text.substr(0, text.find('\n') + 1); }, true},
        {"cut last line", [](const std::string& text) { return text.substr(0, text.size() - 3); }},
        {"missing column",
         [](const std::string& text) {
             return change_line(text, 1, [](const std::string& line) { return line.substr(0, line.rfind(',')); });
         }},
    };
    for (const auto& [name, with] : std::map<const char*, const char*>{
             {"blank", ""}, {"-1.00", "-1.00"}, {"NaN", "NaN"}, {"grouped", "1.092.043"}, {"words", "n/a"}})
        out.push_back(cell_becomes(name, cell, with));
    return out;
}

TEST(Mutations, OfAWaitProfile) {
    const std::string text = case_file("h10-wait-sampling-aas.csv");
    for (const Mutation& mutation : mutations_of("28.0")) {
        const auto read = import_text("waits", mutation.of(text), {"waits.csv", "", {}});
        if (!read)
            continue; // refused by name
        const bool states = std::ranges::any_of(read->run.warnings, [](const std::string& warning) {
            return warning.find("6.35 of 57.88") != std::string::npos;
        });
        EXPECT_EQ(states, mutation.harmless) << mutation.name;
        EXPECT_EQ(read->partial, !mutation.harmless) << mutation.name;
    }
}

TEST(Mutations, OfALinkTable) {
    const std::string text = case_file("h06-upi-pingpong-links.csv");
    const auto whole = read_pcm(text, "links.csv").value();
    std::size_t absent_before = 0; // the last sample has one socket
    for (const PcmSeries& series : whole.series)
        absent_before +=
            static_cast<std::size_t>(std::ranges::count_if(series.values, [](const auto& value) { return !value; }));
    for (const Mutation& mutation : mutations_of("4411 K")) {
        const auto read = read_pcm(mutation.of(text), "links.csv");
        if (!read)
            continue;
        std::size_t absent = 0;
        for (const PcmSeries& series : read->series) {
            const auto* was = series_of(whole, series.name);
            ASSERT_NE(was, nullptr) << mutation.name;
            for (std::size_t i = 0; i < series.values.size() && i < was->values.size(); ++i) {
                absent += series.values[i] ? 0U : 1U;
                if (series.values[i] && was->values[i] && series.values.size() == was->values.size()) {
                    EXPECT_EQ(*series.values[i], *was->values[i])
                        << mutation.name << " " << series.name << " row " << i;
                }
            }
        }
        if (mutation.harmless) {
            EXPECT_EQ(absent, absent_before) << mutation.name;
        } else {
            EXPECT_TRUE(absent > absent_before || read->rows_lost > 0) << mutation.name;
            EXPECT_FALSE(read->notes.empty()) << mutation.name;
        }
    }
}

// perf script and c2c are no tables of cells: every line damaged, one at a time.
TEST(Mutations, OfPerfsReports) {
    const std::string report = test::c2c_report();
    const auto whole = import_text("c2c", report, {"c2c", "", {}}).value();
    const auto remote = [](const Imported& imported) {
        for (const Total& total : imported.run.totals)
            if (total.name == "hitm_samples_remote")
                return total.value;
        return std::optional<std::int64_t>();
    };
    ASSERT_EQ(remote(whole), 12757);
    const std::vector<std::pair<std::string, std::string>> damages{{"12757", ""},        {"12757", "-1.00"},
                                                                   {"12757", "NaN"},     {"12757", "12.757"},
                                                                   {"12757", "1.2.757"}, {"12757", "n/a"}};
    for (const auto& [from, to] : damages) {
        const auto read = import_text("c2c", replaced(report, from, to), {"c2c", "", {}});
        if (!read)
            continue;
        EXPECT_NE(remote(*read), std::optional<std::int64_t>(0)) << to;
        if (remote(*read) != 12757) {
            EXPECT_TRUE(read->partial || !remote(*read)) << to;
        }
    }
    const auto crlf = import_text("c2c", replaced(report, "\n", "\r\n"), {"c2c", "", {}});
    ASSERT_TRUE(crlf);
    EXPECT_EQ(remote(*crlf), 12757);
    for (std::size_t cut = 1; cut < report.size(); cut += 97) {
        const auto read = import_text("c2c", report.substr(0, cut), {"c2c", "", {}});
        if (read && remote(*read)) {
            EXPECT_EQ(remote(*read), 12757) << "cut at " << cut;
        }
    }
}

} // namespace
} // namespace snapscope
