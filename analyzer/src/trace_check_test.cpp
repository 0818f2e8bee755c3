#include <snapscope/analyzer/trace_check.hpp>

#include <cstring>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

TraceReport check(const std::string& text) {
    std::size_t at = 0;
    auto report = check_trace([&](char* data, std::size_t size) -> Result<std::size_t> {
        const std::size_t bytes = std::min(size, text.size() - at);
        std::memcpy(data, text.data() + at, bytes);
        at += bytes;
        return bytes;
    });
    EXPECT_TRUE(report) << report.error().what;
    return report.value_or(TraceReport{});
}

std::string trace(const std::string& events) {
    return R"({"otherData":{"a":[1,{}]},"traceEvents":[)" + events + "]}";
}

// The rules that the events break, in order, joined by blanks.
std::string rules(const std::string& events) {
    std::string out;
    for (const auto& violation : check(trace(events)).violations)
        out += (out.empty() ? "" : " ") + violation.rule;
    return out;
}

std::string slice(const std::string& ts, const std::string& dur, const std::string& tid = "7") {
    return R"({"ph":"X","name":"s","pid":1,"tid":)" + tid + R"(,"ts":)" + ts + R"(,"dur":)" + dur + "}";
}

const std::string zero = R"({"ph":"i","name":"begin","s":"g","ts":0.000},)";

TEST(TraceCheck, AWholeTraceIsValid) {
    const auto report =
        check(trace(R"({"ph":"M","name":"process_name","pid":1,"args":{"name":"server"}},)"
                    R"({"ph":"M","name":"thread_sort_index","pid":1,"tid":7,"args":{"sort_index":3}},)" +
                    slice("0.000", "5.000") +
                    R"(,{"ph":"s","name":"f","cat":"c","id":1,"pid":1,"tid":7,"ts":5.000},)"
                    R"({"ph":"b","name":"w","cat":"c","id":"1","pid":1,"tid":7,"ts":5.000},)"
                    R"({"ph":"e","name":"w","cat":"c","id":"1","pid":1,"tid":7,"ts":5.500},)"
                    R"({"ph":"f","bp":"e","name":"f","cat":"c","id":1,"pid":1,"tid":7,"ts":6.000},)" +
                    slice("6.000", "3.000") + "," + slice("6.000", "1.000") + "," + slice("7.000", "2.000") +
                    R"(,{"ph":"C","name":"tps","pid":1,"ts":9.000,"args":{"tps":1.5,"x":-2e3}})"
                    R"(,{"ph":"i","name":"i","s":"t","pid":1,"tid":7,"ts":9.000})"));
    EXPECT_TRUE(report.valid()) << report.violations.front().rule << ": " << report.violations.front().message;
    EXPECT_EQ(report.events, 12U);
}

TEST(TraceCheck, AnEmptyTraceIsValid) {
    EXPECT_TRUE(check(R"({"traceEvents":[]})").valid());
}

TEST(TraceCheck, NamesEventAndByteOfWhatBreaks) {
    const std::string text = trace(zero + slice("3.000", "1.000") + "," + slice("2.000", "0.500"));
    const auto report = check(text);
    ASSERT_EQ(report.violations_total, 1U);
    EXPECT_EQ(report.violations[0].event, 2U);
    EXPECT_EQ(report.violations[0].offset, text.find("2.000"));
    EXPECT_EQ(report.violations[0].message, "ts goes back from 3.000 to 2.000");
}

TEST(TraceCheck, WhatIsNoJsonIsOneViolation) {
    for (const char* text : {"", "not json", R"({"traceEvents":[)", R"({"traceEvents":[]} x)"}) {
        const auto report = check(text);
        EXPECT_FALSE(report.json) << text;
        EXPECT_EQ(report.violations_total, 1U);
    }
}

TEST(TraceCheck, OnlyTheObjectFormIsATrace) {
    EXPECT_EQ(check("[]").violations[0].rule, "shape");
    EXPECT_EQ(check("{}").violations[0].rule, "shape");
    EXPECT_EQ(check(R"({"traceEvents":{}})").violations[0].rule, "shape");
    EXPECT_EQ(check(R"({"traceEvents":[],"traceEvents":[]})").violations[0].rule, "shape");
    EXPECT_EQ(rules("1,[],null"), "shape shape shape");
    EXPECT_EQ(rules(R"({"ph":"i","name":"a","s":"g","ts":0.000,"ts":1.000})"), "shape start");
}

TEST(TraceCheck, TimesAreFixedMicrosecondsFromZero) {
    EXPECT_EQ(rules(slice("1.000", "1.000")), "start");
    for (const char* ts :
         {"0", "0.0", "0.0000", "1e3", "-0.001", "\"0.000\"", "null", "99999999999999999999999999.000"})
        EXPECT_EQ(rules(zero + slice(ts, "1.000")), "ts") << ts;
    EXPECT_EQ(rules(zero + slice("1.000", "-1.000")), "dur");
    EXPECT_EQ(rules(zero + R"({"ph":"X","name":"s","pid":1,"tid":1,"ts":0.000})"), "dur");
    EXPECT_EQ(rules(zero + R"({"ph":"C","name":"s","pid":1,"args":{"a":1}})"), "ts");
}

TEST(TraceCheck, SlicesOfAThreadNest) {
    EXPECT_EQ(rules(zero + slice("1.000", "4.000") + "," + slice("3.000", "4.000")), "nesting");
    EXPECT_EQ(rules(zero + slice("1.000", "4.000") + "," + slice("1.000", "5.000")), "nesting");
    EXPECT_EQ(rules(zero + slice("1.000", "4.000") + "," + slice("3.000", "4.000", "8")), "");
    EXPECT_EQ(rules(zero + slice("1.000", "4.000") + "," + slice("5.000", "4.000")), "");
    EXPECT_EQ(rules(zero + R"({"ph":"B","name":"b","pid":1,"tid":7,"ts":1.000},)" + slice("2.000", "2.000") +
                    R"(,{"ph":"E","pid":1,"tid":7,"ts":3.000})"),
              "nesting");
    EXPECT_EQ(rules(zero + R"({"ph":"E","pid":1,"tid":7,"ts":3.000})"), "nesting");
}

TEST(TraceCheck, IdentitiesAreRealNumbers) {
    for (const char* tid : {"0", "4294967296", "-1", "1.5", "\"7\"", "1e2"})
        EXPECT_EQ(rules(zero + slice("1.000", "1.000", tid)), "id") << tid;
    EXPECT_EQ(rules(zero + R"({"ph":"X","name":"s","tid":1,"ts":1.000,"dur":1.000})"), "id");
    EXPECT_EQ(rules(zero + R"({"ph":"i","name":"s","s":"t","pid":1,"ts":1.000})"), "id");
}

TEST(TraceCheck, WaitsHaveCatAndIdAndBegin) {
    EXPECT_EQ(rules(zero + R"({"ph":"b","name":"w","pid":1,"ts":1.000,"id":1})"), "async");
    EXPECT_EQ(rules(zero + R"({"ph":"b","name":"w","cat":"w","pid":1,"ts":1.000})"), "async");
    EXPECT_EQ(rules(zero + R"({"ph":"e","name":"w","cat":"w","id":1,"pid":1,"ts":1.000})"), "async");
}

TEST(TraceCheck, CountersAreNumbersAndFew) {
    for (const char* args : {"{}", "1", "{\"a\":\"1\"}", "{\"a\":null}", "{\"a\":1e999}", "{\"a\":{}}"})
        EXPECT_EQ(rules(zero + R"({"ph":"C","name":"c","pid":1,"ts":1.000,"args":)" + args + "}"), "counter") << args;
    EXPECT_EQ(rules(zero + R"({"ph":"C","name":"c","pid":1,"ts":1.000})"), "counter");
    std::string many = zero;
    for (int i = 0; i < 600; ++i)
        many += R"({"ph":"C","name":"c)" + std::to_string(i) + R"(","pid":1,"ts":1.000,"args":{"a":1}},)";
    many.pop_back();
    EXPECT_EQ(rules(many), "tracks");
}

TEST(TraceCheck, InstantsHaveAScope) {
    EXPECT_EQ(rules(R"({"ph":"i","name":"a","pid":1,"tid":1,"ts":0.000})"), "instant");
    EXPECT_EQ(rules(R"({"ph":"i","name":"a","s":"x","pid":1,"tid":1,"ts":0.000})"), "instant");
}

TEST(TraceCheck, FlowsJoinTwoSlices) {
    const std::string start = R"({"ph":"s","name":"f","cat":"c","id":1,"pid":1,"tid":7,"ts":2.000},)";
    const std::string end = R"(,{"ph":"f","bp":"e","name":"f","cat":"c","id":1,"pid":1,"tid":7,"ts":2.500})";
    EXPECT_EQ(rules(zero + slice("1.000", "4.000") + "," + start.substr(0, start.size() - 1) + end), "");
    EXPECT_EQ(rules(zero + slice("1.000", "4.000") + "," + start.substr(0, start.size() - 1)), "flow");
    EXPECT_EQ(rules(zero + slice("1.000", "4.000") + end), "flow");
    EXPECT_EQ(rules(zero + slice("1.000", "0.500") + "," + start + slice("2.200", "1.000") + end), "flow");
    EXPECT_EQ(rules(zero + slice("1.000", "4.000") + "," + start.substr(0, start.size() - 1) +
                    R"(,{"ph":"f","name":"f","cat":"c","id":1,"pid":1,"tid":7,"ts":2.500})"),
              "flow");
}

TEST(TraceCheck, MetadataIsOneOfFour) {
    EXPECT_EQ(rules(R"({"ph":"M","name":"process_labels","pid":1,"args":{"labels":"x"}})"), "metadata");
    EXPECT_EQ(rules(R"({"ph":"M","name":"process_name","pid":1,"args":{"nom":"x"}})"), "metadata");
    EXPECT_EQ(rules(R"({"ph":"M","name":"thread_sort_index","pid":1,"tid":1,"args":{"sort_index":"x"}})"), "metadata");
}

TEST(TraceCheck, UnknownPhasesAndMissingNamesAreBroken) {
    EXPECT_EQ(rules(zero + R"({"ph":"Z","name":"a","pid":1,"ts":1.000})"), "phase");
    EXPECT_EQ(rules(zero + R"({"name":"a","pid":1,"ts":1.000})"), "phase");
    EXPECT_EQ(rules(zero + R"({"ph":"X","pid":1,"tid":1,"ts":1.000,"dur":1.000})"), "name");
}

TEST(TraceCheck, OnlyTheFirstViolationsAreListedAndAllCounted) {
    std::string many = zero;
    for (int i = 0; i < 100; ++i)
        many += R"({"ph":"Z"},)";
    many.pop_back();
    const auto report = check(trace(many));
    EXPECT_EQ(report.violations_total, 100U);
    EXPECT_EQ(report.violations.size(), reported_violations);
}

TEST(TraceCheck, AReadErrorIsAnErrorAndNoVerdict) {
    EXPECT_FALSE(check_trace([](char*, std::size_t) -> Result<std::size_t> { return fail("disk gone"); }));
    EXPECT_FALSE(check_trace_file("/nonexistent/trace.json"));
}

} // namespace
} // namespace snapscope
