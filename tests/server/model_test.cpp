// Layout and model against a real server: what is computed, read and counted
// says the same.

#include "session.hpp"

#include <snapscope/lab/scratch_folder.hpp>

#include <nlohmann/json.hpp>
#include <set>

namespace snapscope::test {
namespace {

using nlohmann::json;

class ModelTest : public ServerTest {
  protected:
    json snapscope(std::vector<std::string> words) const {
        words.insert(words.begin(), SNAPSCOPE_PROGRAM);
        words.insert(words.end(), {"--quiet", "--format", "json"});
        const auto finished = run_program(cluster(), std::move(words));
        EXPECT_EQ(finished.status, 0) << finished.output;
        return json::parse(finished.output, nullptr, false);
    }
    json live() const { return snapscope({"layout", "--pid", std::to_string(cluster().pid())}); }
};

json array_named(const json& layout, const std::string& name) {
    for (const auto& array : layout["arrays"])
        if (array["name"] == name)
            return array;
    return nullptr;
}

class LayoutTest : public ModelTest {};

TEST_P(LayoutTest, computed_and_live_agree) {
    for (const char* connections : {"200", "250", "400", "700", "1000"}) {
        start({{"max_connections", connections},
               {"max_prepared_transactions", "10"},
               {"shared_buffers", "16MB"},
               {"snapshot_cache_verify", "off"}});
        const auto server = live();
        std::vector<std::string> words{
            "layout", "--server",         "13", "--max-connections", connections, "--max-prepared-transactions",
            "10",     "--shared-buffers", "16", "--snapshot-cache",  GetParam()};
        const auto computed = snapscope(std::move(words));
        for (const char* name : {"PGXACT", "PGPROC", "pgprocnos", "ProcArrayLock", "latestCompletedXid"})
            for (const char* field :
                 {"segment_offset", "address_mod_64", "stride_bytes", "entries", "lines", "straddling_entries"})
                EXPECT_EQ(array_named(server, name)[field], array_named(computed, name)[field])
                    << connections << ": " << name << " " << field;
        const auto pgxact = array_named(server, "PGXACT");
        EXPECT_TRUE(pgxact["pages"].is_number());
        EXPECT_TRUE(pgxact["numa_nodes"].is_object()) << "a login tells";
        if (pgxact["page_bytes"] == 4096) {
            EXPECT_EQ(pgxact["pages"], array_named(computed, "PGXACT")["pages"]);
        }
        cluster_.reset();
    }
}

TEST_P(LayoutTest, entries_in_use_are_those_of_connected_backends) {
    start({{"max_connections", "100"}});
    std::vector<std::unique_ptr<Session>> sessions;
    std::set<std::int64_t> slots;
    for (int i = 0; i < 12; ++i) {
        sessions.push_back(std::make_unique<Session>(cluster()));
        slots.insert(sessions.back()->number("SELECT slot FROM pg_stat_snapshot_cache WHERE pid = pg_backend_pid()"));
    }
    const auto active = live()["active_slots"];
    EXPECT_GE(active["count"], 12) << "and launchers";
    std::set<std::int64_t> shared;
    for (const auto& line : active["shared_lines"])
        shared.insert(line["slots"].begin(), line["slots"].end());
    for (const auto slot : slots)
        EXPECT_TRUE(shared.contains(slot)) << slot << " has its neighbours: they came one after the other";
}

INSTANTIATE_TEST_SUITE_P(Mode, LayoutTest, testing::Values("off", "copy"), name_of_mode);

class SimulatedRunTest : public ModelTest {};

TEST_P(SimulatedRunTest, scans_the_lines_that_the_server_counted) {
    start({{"max_connections", "100"}, {"snapshot_event_ring_size", "4MB"}});
    ASSERT_EQ(run_program(cluster(), {"pgbench", "-i", "-q", "-s", "1"}).status, 0);
    std::vector<std::unique_ptr<Session>> idle;
    for (int i = 0; i < 40; ++i)
        idle.push_back(std::make_unique<Session>(cluster()));
    auto scratch = ScratchFolder::create();
    ASSERT_TRUE(scratch);
    const auto run = (scratch->path() / "run.snap").string();
    const auto recorded =
        run_program(cluster(), {SNAPSCOPE_PROGRAM, "record", "--pid", std::to_string(cluster().pid()), "--source",
                                "ring,sql", "--events", "-o", run, "--", (patched_prefix() / "bin/pgbench").string(),
                                "-n", "-c", "4", "-t", "300", "-M", "prepared"});
    ASSERT_EQ(recorded.status, 0) << recorded.output;

    const auto shown = snapscope({"show", run});
    const auto model = snapscope({"simulate", run});
    EXPECT_EQ(model["kind"], "modelled");
    EXPECT_EQ(model["snapshot_cache"]["modelled"], GetParam());
    EXPECT_LE(model["snapshots"], shown["snapshots"]["taken"]) << "events begin with the first look at the rings";
    EXPECT_GE(model["snapshots"], 4 * 300);
    EXPECT_GT(model["accesses"], model["snapshots"]);
    const auto lines = model["lines_per_scan"];
    if (!lines["recorded"].is_null()) { // lock-free, hardly anybody scans
        const double counted = lines["recorded"];
        EXPECT_NEAR(lines["modelled"].get<double>(), counted, 0.05 * counted);
    }
    // The same work on a machine that is not there.
    const auto elsewhere = snapscope({"simulate", run, "--topology", "2x24", "--mode", "off,copy"});
    ASSERT_EQ(elsewhere["rows"].size(), 2U);
    EXPECT_GT(elsewhere["rows"][0]["transfers"]["cross_socket"], 0);
    EXPECT_EQ(elsewhere["rows"][0]["snapshots"], model["snapshots"]);
    EXPECT_TRUE(elsewhere["factors"][0]["transfers_per_snapshot"].is_number());

    const auto layout = snapscope({"layout", run});
    EXPECT_GE(layout["churn"]["taken"], 4) << "pgbench came";
    EXPECT_GE(layout["active_slots"]["count"], 40);
}

INSTANTIATE_TEST_SUITE_P(Mode, SimulatedRunTest, every_mode(), name_of_mode);

} // namespace
} // namespace snapscope::test
