// Source `pcm` from its CSV to the run, by a replay of pcm that prints published figures.
#include "hardware_run.hpp"

#include <snapscope/readers/pcm.hpp>

#include <algorithm>
#include <case_file.hpp>
#include <fmt/format.h>
#include <gmock/gmock.h>

namespace snapscope::test {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

constexpr int sockets = 2, links = 4;

// One published sample (h06): the incoming links of both sockets, in 10^6 bytes.
std::vector<double> published(const std::string& sample) {
    std::vector<double> out;
    for (auto& row : case_rows("h06-upi-pingpong-links.csv"))
        for (int link = 0; row["sample"] == sample && link < links; ++link)
            out.push_back(pcm_screen_number(row[fmt::format("upi{}", link)]).value() / 1e6);
    return out;
}

class Pcm : public HardwareRun {
  protected:
    // Header and rows in the form of 2021; each of ROWS is the cells of one.
    void put_rows(const std::vector<std::vector<std::string>>& rows) const {
        std::string groups = "System,System,";
        std::string names = "Date,Time,";
        for (int socket = 0; socket < sockets; ++socket)
            for (int link = 0; link < links; ++link) {
                groups += fmt::format("SKT{}dataIn,", socket);
                names += fmt::format("UPI{},", link);
            }
        put("pcm.header", groups + "\n" + names + "\n");
        std::string text;
        for (const auto& row : rows) {
            for (const auto& one : row)
                text += one + ",";
            text += "\n";
        }
        put("pcm.rows", text);
    }
    static std::vector<std::string> cells(const std::vector<double>& values) {
        std::vector<std::string> out;
        for (const double value : values)
            out.push_back(fmt::format("{:.3f}", value));
        return out;
    }
    static const Series* series_of(const snapscope::Run& run, const std::string& name) {
        const auto at = std::ranges::find(run.windows.series, name, &Series::name);
        return at == run.windows.series.end() ? nullptr : &*at;
    }
};

TEST_P(Pcm, BytesOfEveryLinkByGroupAndName) {
    const auto figures = published("4");
    ASSERT_EQ(figures.size(), static_cast<std::size_t>(sockets * links));
    put_rows({cells(figures)});
    put("pcm", "access\n");
    const auto run = record("pcm", "sleep 1.3");
    EXPECT_EQ(status_, 0) << output_;
    EXPECT_EQ(source_named(run, "pcm").state, SourceState::active) << source_named(run, "pcm").reason;
    for (int socket = 0; socket < sockets; ++socket)
        for (int link = 0; link < links; ++link) {
            const auto* series = series_of(run, fmt::format("upi_in_bytes_socket{}_link{}", socket, link));
            ASSERT_NE(series, nullptr);
            EXPECT_EQ(series->unit, "bytes");
            const double a_second = 1e6 * figures[static_cast<std::size_t>(socket * links + link)];
            for (std::size_t i = 0; i < series->values.size(); ++i) {
                const double seconds = static_cast<double>(run.windows.end_ns[i] - run.windows.start_ns[i]) / 1e9;
                ASSERT_TRUE(series->values[i].has_value()) << series->name << " window " << i;
                EXPECT_NEAR(*series->values[i], a_second * seconds, 1 + 1e-6 * a_second) << series->name;
            }
        }
    EXPECT_THAT(text("pcm.log"), HasSubstr("interrupted"));
}

TEST_P(Pcm, ASilentCounterIsAGapFromThenOn) {
    auto full = cells(published("4"));
    auto silent = full;
    silent[1] = "";
    silent[2] = "-1.00";
    silent[3] = "nan";
    put_rows({full, full, full, silent});
    put("pcm", "access\nundated\n");
    const auto run = record("pcm", "sleep 4.6");
    EXPECT_EQ(status_, 0) << output_;
    EXPECT_EQ(source_named(run, "pcm").state, SourceState::degraded);
    EXPECT_THAT(source_named(run, "pcm").reason, HasSubstr("SKT0dataIn UPI1, SKT0dataIn UPI2, SKT0dataIn UPI3"));
    for (const int link : {1, 2, 3}) {
        const auto* series = series_of(run, fmt::format("upi_in_bytes_socket0_link{}", link));
        ASSERT_NE(series, nullptr);
        EXPECT_EQ(series->values.back(), std::nullopt) << link;
        EXPECT_TRUE(series->values.front().has_value()) << link;
        EXPECT_EQ(total_of(run, series->name), std::nullopt) << "a sum over a gap is none";
    }
    EXPECT_TRUE(series_of(run, "upi_in_bytes_socket0_link0")->values.back().has_value());
}

TEST_P(Pcm, AToolThatStallsLeavesGapsAndNoZeros) {
    put_rows({cells(published("4"))});
    put("pcm", "access\nstall 1\n");
    const auto run = record("pcm", "sleep 2.3");
    const auto* series = series_of(run, "upi_in_bytes_socket0_link0");
    ASSERT_NE(series, nullptr);
    EXPECT_EQ(series->values.back(), std::nullopt);
    for (const auto& value : series->values)
        EXPECT_NE(value, std::optional<double>(0));
}

TEST_P(Pcm, AnEarlyDeathIsTold) {
    put_rows({cells(published("4"))});
    put("pcm", "access\ndie 1 134 terminate called after throwing an instance of std::exception\n");
    const auto run = record("pcm", "sleep 2.2");
    EXPECT_EQ(status_, 3) << output_;
    EXPECT_EQ(source_named(run, "pcm").state, SourceState::degraded);
    EXPECT_THAT(source_named(run, "pcm").reason, HasSubstr("exit status 134"));
    EXPECT_EQ(series_of(run, "upi_in_bytes_socket0_link0")->values.back(), std::nullopt);
}

TEST_P(Pcm, AccessIsProbedFirstAndItsAbsenceToldInPcmsWords) {
    put_rows({cells(published("4"))});
    put("pcm", "");
    const auto run = record("pcm,sql", "true");
    EXPECT_EQ(status_, 3) << output_;
    const auto& source = source_named(run, "pcm");
    EXPECT_EQ(source.state, SourceState::unavailable);
    EXPECT_THAT(source.reason, HasSubstr("denied (no MSR or PCI CFG space access)"));
    EXPECT_THAT(source.hint, HasSubstr("can't open MSR handle"));
    EXPECT_EQ(source_named(run, "sql").state, SourceState::active);
}

TEST_P(Pcm, ABusyPmuIsUnavailableInPcmsWords) {
    put_rows({cells(published("4"))});
    put("pcm", "access\nrefuse 1 Access to Intel(r) Performance Counter Monitor has denied (Performance Monitoring "
               "Unit is occupied by other application). Try to stop the application that uses PMU.\n");
    const auto run = record("pcm", "true");
    EXPECT_EQ(status_, 3) << output_;
    EXPECT_EQ(source_named(run, "pcm").state, SourceState::unavailable);
    EXPECT_THAT(source_named(run, "pcm").reason, HasSubstr("occupied by other application"));
}

TEST_P(Pcm, ItEndsByAnInterruptAlsoWhenTheCollectorIsKilled) {
    put_rows({cells(published("4"))});
    put("pcm", "access\n");
    auto running = start_recording("pcm", "touch started; sleep 60");
    EXPECT_TRUE(within_seconds(30, [&] { return std::filesystem::exists(folder() / "started"); }));
    running.send_signal(SIGKILL);
    EXPECT_EQ(running.wait_for(30s), 128 + SIGKILL);
    EXPECT_TRUE(within_seconds(30, [&] { return text("pcm.log").find("interrupted") != std::string::npos; }))
        << text("pcm.log");
}

INSTANTIATE_TEST_SUITE_P(Servers, Pcm, testing::Values("patched"), name_of_server);

} // namespace
} // namespace snapscope::test
