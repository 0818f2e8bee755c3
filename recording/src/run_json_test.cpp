#include "sample_run.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Every leaf and every container of `value`, as JSON pointers.
void collect(const json& value, const std::string& at, std::vector<std::string>& out) {
    if (!at.empty())
        out.push_back(at);
    for (const auto& [key, item] : value.items())
        if (value.is_structured())
            collect(item, at + "/" + key, out);
}

TEST(RunJson, EveryFieldComesBack) {
    for (const auto& run : std::vector{full_sample_run(), bare_sample_run()}) {
        const json first = run_to_json(run);
        const auto read = run_from_json(json::parse(first.dump()));
        ASSERT_TRUE(read) << read.error().message();
        EXPECT_EQ(run_to_json(*read), first);
    }
    const auto read = run_from_json(run_to_json(full_sample_run()));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->layout.arrays[0].address, 0x7f0012345678U);
    EXPECT_EQ(read->totals[0].value, 1'000'000'007);
    EXPECT_EQ(read->windows.series[0].values[1], std::nullopt);
    EXPECT_EQ(read->windows.series[1].values[0], 0.1);
    EXPECT_EQ(read->sources[2].kind, EvidenceKind::modelled);
    EXPECT_EQ(read->host.cpus[1].llc, std::nullopt);
}

TEST(RunJson, AbsentBecomesNullAndNeverZero) {
    const json out = run_to_json(bare_sample_run());
    EXPECT_TRUE(out["workload"].is_null());
    EXPECT_TRUE(out["slots"][0]["taken"].is_null());
    EXPECT_TRUE(out["server"]["max_connections"].is_null());
}

TEST(RunJson, IntegersOf64BitsAreExact) {
    auto run = bare_sample_run();
    run.host.memory_bytes = std::numeric_limits<std::uint64_t>::max();
    run.layout.arrays[0].address = std::numeric_limits<std::uint64_t>::max();
    run.clock.start_ns = std::numeric_limits<std::int64_t>::min();
    run.clock.end_ns = std::numeric_limits<std::int64_t>::max();
    const auto read = run_from_json(json::parse(run_to_json(run).dump()));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->host.memory_bytes, run.host.memory_bytes);
    EXPECT_EQ(read->layout.arrays[0].address, run.layout.arrays[0].address);
    EXPECT_EQ(read->clock.start_ns, run.clock.start_ns);
    EXPECT_EQ(read->clock.end_ns, run.clock.end_ns);
}

TEST(RunJson, BytesThatAreNoUtf8DoNotBreakTheFile) {
    auto run = bare_sample_run();
    run.host.name = "a\xff";
    run.server.settings = {{"x", std::string("\xc3\x28\0", 3)}};
    const auto read = run_from_json(json::parse(run_to_json(run).dump()));
    ASSERT_TRUE(read);
    EXPECT_EQ(read->host.name, "a\xef\xbf\xbd");
}

TEST(RunJson, UnknownFieldsAreIgnored) {
    json in = run_to_json(full_sample_run());
    in["later"] = 1;
    in["sources"][0]["later"] = {1, 2};
    EXPECT_TRUE(run_from_json(in));
}

TEST(RunJson, AMissingFieldIsAnErrorThatNamesIt) {
    const json good = run_to_json(full_sample_run());
    std::vector<std::string> pointers;
    collect(good, "", pointers);
    int tried = 0;
    for (const std::string& at : pointers) {
        const json::json_pointer pointer(at);
        const bool came_later =
            pointer.back().starts_with("migrations_across_") || at == "/layout/memory" || at == "/gaps";
        if (!good.at(pointer.parent_pointer()).is_object() || came_later)
            continue; // what came later may be missing
        json bad = good;
        bad.at(pointer.parent_pointer()).erase(pointer.back());
        const auto read = run_from_json(bad);
        ASSERT_FALSE(read) << at;
        EXPECT_THAT(read.error().what, HasSubstr(at.starts_with("/tool") ? at : at + ": missing")) << at;
        ++tried;
    }
    EXPECT_GT(tried, 100);
}

TEST(RunJson, AWrongTypeIsAnErrorThatNamesIt) {
    const json good = run_to_json(full_sample_run());
    std::vector<std::string> pointers;
    collect(good, "", pointers);
    for (const std::string& at : pointers) {
        const json::json_pointer pointer(at);
        json bad = good;
        json& value = bad.at(pointer);
        value = value.is_object() ? json::array() : json::object();
        const auto read = run_from_json(bad);
        ASSERT_FALSE(read) << at;
        EXPECT_THAT(read.error().what, HasSubstr(at + ":")) << at;
    }
}

struct Refusal {
    const char* says;
    std::function<void(json&)> spoil;
};

TEST(RunJson, WhatMakesNoSenseIsRefusedWithItsPlace) {
    const std::vector<Refusal> refusals = {
        {"/schema_version", [](json& r) { r["schema_version"] = 2; }},
        {"/schema_version", [](json& r) { r["schema_version"] = 1.0; }},
        {"/tool/name", [](json& r) { r["tool"]["name"] = "perf"; }},
        {"/id", [](json& r) { r["id"] = "0123"; }},
        {"/id", [](json& r) { r["id"] = "0123456789ABCDEF0123456789abcdef"; }},
        {"/clock/wall_start", [](json& r) { r["clock"]["wall_start"] = "yesterday"; }},
        {"/clock/end_ns", [](json& r) { r["clock"]["end_ns"] = 999; }},
        {"/server/pid", [](json& r) { r["server"]["pid"] = -1; }},
        {"/server/pid", [](json& r) { r["server"]["pid"] = 4294967296; }},
        {"/server/pid", [](json& r) { r["server"]["pid"] = 1.5; }},
        {"/server/port", [](json& r) { r["server"]["port"] = 65536; }},
        {"/server/snapshot_cache", [](json& r) { r["server"]["snapshot_cache"] = "on"; }},
        {"/sources/0/kind", [](json& r) { r["sources"][0]["kind"] = "guessed"; }},
        {"/sources/0/state", [](json& r) { r["sources"][0]["state"] = "available"; }},
        {"/sources/0/reason", [](json& r) { r["sources"][0]["reason"] = ""; }},
        {"/sources/1/name", [](json& r) { r["sources"][1]["name"] = "ring"; }},
        {"/sources/0/losses/0/name", [](json& r) { r["sources"][0]["losses"][0]["name"] = "Ring full"; }},
        {"/totals/1/source", [](json& r) { r["totals"][1]["source"] = "tarot"; }},
        {"/totals/0/name", [](json& r) { r["totals"][0]["name"] = ""; }},
        {"/totals/0/value", [](json& r) { r["totals"][0]["value"] = 9223372036854775808ULL; }},
        {"/windows/end_ns", [](json& r) { r["windows"]["end_ns"].push_back(1); }},
        {"/windows/end_ns/1", [](json& r) { r["windows"]["end_ns"][1] = 1; }},
        {"/windows/series/1/values", [](json& r) { r["windows"]["series"][1]["values"].push_back(1); }},
        {"/windows/series/0/source", [](json& r) { r["windows"]["series"][0]["source"] = ""; }},
        {"/histograms/0/counts", [](json& r) { r["histograms"][0]["counts"].push_back(1); }},
        {"/histograms/0/counts/0", [](json& r) { r["histograms"][0]["counts"][0] = -1; }},
        {"/histograms/0/bounds", [](json& r) { r["histograms"][0]["bounds"][2] = 16; }},
        {"/matrices/0/by", [](json& r) { r["matrices"][0]["by"] = "rack"; }},
        {"/matrices/0/counts", [](json& r) { r["matrices"][0]["counts"].push_back(1); }},
        {"/layout/arrays/0/address", [](json& r) { r["layout"]["arrays"][0]["address"] = "7f00"; }},
        {"/layout/arrays/0/address", [](json& r) { r["layout"]["arrays"][0]["address"] = "0x"; }},
        {"/layout/arrays/0/address", [](json& r) { r["layout"]["arrays"][0]["address"] = "0x-1"; }},
        {"/layout/arrays/0/address", [](json& r) { r["layout"]["arrays"][0]["address"] = "0x11112222333344445"; }},
        {"/: expected an object", [](json& r) { r = json::array(); }},
    };
    for (const Refusal& refusal : refusals) {
        json bad = run_to_json(full_sample_run());
        refusal.spoil(bad);
        const auto read = run_from_json(bad);
        ASSERT_FALSE(read) << refusal.says;
        EXPECT_THAT(read.error().what, ::testing::StartsWith(refusal.says));
    }
}

TEST(RunJson, ARunOfBeforeHasNoMovesBetweenGroups) {
    json old = run_to_json(full_sample_run());
    ASSERT_EQ(old["slots"][0]["migrations_across_llc"], 2);
    for (const char* name : {"migrations_across_llc", "migrations_across_node", "migrations_across_socket"})
        old["slots"][0].erase(name);
    const auto read = run_from_json(old);
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(read->slots[0].migrations_across_llc, std::nullopt);
    EXPECT_EQ(read->slots[0].migrations, 2);
}

} // namespace
} // namespace snapscope
