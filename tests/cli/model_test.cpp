// simulate, layout and what emulate refuses, as their users run them.
#include "program.hpp"

#include <nlohmann/json.hpp>

namespace snapscope::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

class Model : public ProgramTest {
  protected:
    void refused(const Words& words, const std::string& why) const {
        const auto outcome = run(words);
        EXPECT_EQ(outcome.status, 2) << command_line(words) << "\n" << outcome.err;
        EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(why)) << command_line(words);
        EXPECT_EQ(outcome.out, "");
    }
    [[nodiscard]] nlohmann::json json(Words words) const {
        words.insert(words.end(), {"--format", "json"});
        const auto outcome = run(words);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return nlohmann::json::parse(outcome.out, nullptr, false);
    }
};

const Words founders{"simulate", "--synthetic", "clients=192,snapshots=20000", "--topology", "2x24"};

Words with(Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

TEST_F(Model, TheFoundersLoadStatesByWhatFactorTransfersFall) {
    const auto outcome = run(with(founders, {"--mode", "off,copy"}));
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("modelled: mesi on 2x24"), HasSubstr("copy against off"), HasSubstr("a factor of"),
                      HasSubstr("synthetic matrix"), HasSubstr("not modelled:")));
    const auto both = json(with(founders, {"--mode", "off,copy"}));
    const double factor = both["factors"][0]["transfers_per_snapshot"];
    EXPECT_GT(factor, 4);
    const double off = both["rows"][0]["per_snapshot"]["total"];
    const double copy = both["rows"][1]["per_snapshot"]["total"];
    EXPECT_NEAR(off / copy, factor, 1e-9 * factor);
}

TEST_F(Model, EveryProtocolShapeAndFormatGivesAnAnswer) {
    for (const char* protocol : {"mesi", "mesif", "moesi"})
        for (const char* prefetch : {"none", "next-line", "streamer"}) {
            const auto result = json(with(founders, {"--protocol", protocol, "--prefetch", prefetch}));
            EXPECT_EQ(result["protocol"], protocol);
            EXPECT_EQ(result["prefetch"], prefetch);
            EXPECT_EQ(result["kind"], "modelled");
        }
    for (const char* shape : {"4x8", "epyc", "1x2"})
        EXPECT_EQ(run({"simulate", "--synthetic", "clients=9,snapshots=500", "--topology", shape}).status, 0) << shape;
    for (const char* format : {"csv", "markdown", "text"})
        EXPECT_THAT(run(with(founders, {"--format", format})).out, HasSubstr("ProcArrayLock")) << format;
}

TEST_F(Model, ATopologyAndAMatrixMayComeFromFiles) {
    put("cpus", "# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,1,0,,1,1,1,1\n");
    put("table", "machine,pair_class,median_ns\nhere,same_llc,40\nhere,cross_socket,100\nhere,memory,90\n");
    const Words load{"simulate", "--synthetic", "clients=4,snapshots=500"};
    const auto result = json(with(load, {"--topology", "cpus", "--matrix", "table:here", "--cycles-per-ns", "2"}));
    EXPECT_EQ(result["topology"]["source"], "file");
    EXPECT_EQ(result["matrix_source"], "file");
    EXPECT_EQ(result["matrix"]["one_way_cycles"]["cross_socket"], 200);
    EXPECT_TRUE(result["matrix"]["one_way_cycles"]["cross_llc"].is_null()) << "the table does not say";
    EXPECT_TRUE(result["estimated_cycles_per_snapshot"].is_number()) << "and it does not occur";
    put("table", "machine,pair_class,median_ns\nhere,same_llc,40\n");
    const auto unknown = json(with(load, {"--topology", "cpus", "--matrix", "table"}));
    EXPECT_TRUE(unknown["estimated_cycles_per_snapshot"].is_null()) << "absent is not zero";
}

TEST_F(Model, WhatCannotBeMeantIsUsage) {
    refused({"simulate"}, "nothing to model");
    refused({"simulate", "x.snap", "--synthetic", "clients=1"}, "at once");
    refused({"simulate", "--synthetic", "clients=1"}, "--topology 2x24");
    refused({"simulate", "--synthetic", "clients=1,colour=red", "--topology", "2x2"}, "colour=red");
    refused(with(founders, {"--protocol", "msi"}), "mesi, mesif, moesi");
    refused(with(founders, {"--prefetch", "all"}), "streamer");
    refused(with(founders, {"--mode", "off,fast"}), "'fast'");
    refused(with(founders, {"--placement", "random"}), "scattered");
    refused(with(founders, {"--cpus", "residency"}), "no residency");
    refused(with(founders, {"--stride", "8"}), "12 to 4096");
    refused({"emulate", "--topology", "1x1"}, "2 to 64");
    refused({"emulate", "--topology", "2x2x2x2"}, "SxLxC");
    refused({"emulate", "--workload", "no-such-script"}, "select-only, tpcb-like");
    refused({"emulate", "--set", "fsync"}, "NAME=VALUE");
    refused({"emulate", "--converge", "5"}, "100 to 10000000");
    refused({"emulate", "--server", "/nowhere"}, "there is no program");
    refused({"layout", "--server", "9.6"}, "--server 13");
    refused({"layout", "--max-connections", "100"}, "--server 13");
    refused({"layout", "x.snap", "--server", "13"}, "give one");
    refused({"layout", "--server", "13", "--max-connections", "262143"}, "262143");
}

TEST_F(Model, ARunThatIsNotThereIsAFailureOfOneLine) {
    for (const char* verb : {"simulate", "layout"}) {
        const auto outcome = run({verb, "none.snap"});
        EXPECT_EQ(outcome.status, 1);
        EXPECT_EQ(lines_in(outcome.err), 1) << outcome.err;
    }
}

TEST_F(Model, AComputedLayoutHasTheFoundersNumbers) {
    const auto layout = json({"layout", "--server", "13", "--max-connections", "600"});
    EXPECT_EQ(layout["source"], "computed");
    EXPECT_EQ(layout["arrays"][0]["name"], "PGXACT");
    EXPECT_EQ(layout["arrays"][0]["entries"], 626);
    EXPECT_EQ(layout["arrays"][0]["stride_bytes"], 12);
    EXPECT_EQ(layout["arrays"][0]["address_mod_64"], 0);
    EXPECT_EQ(layout["arrays"][0]["lines"], 118);
    EXPECT_TRUE(layout["arrays"][0]["numa_nodes"].is_null());
    EXPECT_TRUE(layout["active_slots"].is_null());
}

} // namespace
} // namespace snapscope::test
