#include "record_usage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace snapscope {
namespace {

using testing::HasSubstr;

RecordOptions options(std::vector<std::string> sources, bool events = false) {
    RecordOptions out;
    out.output = "x.snap";
    out.sources = std::move(sources);
    out.events = events;
    return out;
}

std::string usage(const RecordOptions& of) {
    const auto status = check_usage(of);
    if (status)
        return "";
    EXPECT_EQ(status.error().error_class, ErrorClass::usage);
    return status.error().what;
}

TEST(RecordUsage, SourcesAreKnownNamesEachOnce) {
    EXPECT_EQ(usage(options({})), "");
    EXPECT_EQ(usage(options({"ring", "sql"})), "");
    EXPECT_THAT(usage(options({""})), HasSubstr("empty name"));
    EXPECT_THAT(usage(options({"ring", "", "sql"})), HasSubstr("empty name"));
    EXPECT_THAT(usage(options({"ring", "rong"})), HasSubstr("unknown source rong"));
    EXPECT_THAT(usage(options({"ring", "sql", "ring"})), HasSubstr("ring is named twice"));
}

TEST(RecordUsage, EventsNeedASourceThatCanRecordThem) {
    EXPECT_EQ(usage(options({}, true)), "");
    EXPECT_EQ(usage(options({"sql", "ebpf"}, true)), "");
    EXPECT_THAT(usage(options({"sql", "sched"}, true)), HasSubstr("of sql, sched none records events"));
}

TEST(RecordUsage, MappingIsForTheMirror) {
    auto mapped = options({});
    mapped.map = true;
    EXPECT_EQ(usage(mapped), "");
    mapped.sources = {"sql", "mirror"};
    EXPECT_EQ(usage(mapped), "");
    mapped.sources = {"sql"};
    EXPECT_THAT(usage(mapped), HasSubstr("--map"));
}

TEST(RecordUsage, TheTargetAndTheNameOfTheRunAreLookedAt) {
    auto two = options({});
    two.target.pid = 1;
    two.target.port = 5432;
    EXPECT_THAT(usage(two), HasSubstr("exclude each other"));
    auto login = options({});
    login.target.dsn = "what";
    EXPECT_THAT(usage(login), HasSubstr("--dsn"));
    auto name = options({});
    name.output = "x";
    EXPECT_THAT(usage(name), HasSubstr("must end in .snap"));
}

} // namespace
} // namespace snapscope
