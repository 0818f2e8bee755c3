// Writes the runs that check.mjs holds against the schema, into the folder
// given: full.snap, bare.snap, unfinished.snap, sweep.json, and refused.jsonl, one damaged
// run a line with the reader's reason for refusing it.

#include <snapscope/recording/run_folder.hpp>
#include <snapscope/recording/sweep.hpp>

#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sample_run.hpp>

namespace {

using nlohmann::json;
using namespace snapscope;

Status write_finished(const std::filesystem::path& folder, const Run& run) {
    auto writer = RunFolderWriter::create(folder, run, false);
    return writer ? writer->finish(run) : fail(writer.error());
}

Status write_unfinished(const std::filesystem::path& folder) {
    const auto writer = RunFolderWriter::create(folder, full_sample_run(), false);
    return writer ? Status() : fail(writer.error());
}

void collect(const json& value, const std::string& at, std::vector<json::json_pointer>& out) {
    if (!at.empty())
        out.emplace_back(at);
    for (const auto& [key, item] : value.items())
        if (value.is_structured())
            collect(item, at + "/" + key, out);
}

// The run with one field taken out, or of a wrong type, or out of its range.
std::vector<json> damaged_runs() {
    const json good = run_to_json(full_sample_run());
    std::vector<json::json_pointer> places;
    collect(good, "", places);
    std::vector<json> out;
    for (const auto& place : places) {
        const json& value = good.at(place);
        if (good.at(place.parent_pointer()).is_object())
            out.emplace_back(good).at(place.parent_pointer()).erase(place.back());
        out.emplace_back(good).at(place) = value.is_object() ? json::array() : json::object();
        if (value.is_number_unsigned())
            out.emplace_back(good).at(place) = -1;
        if (value.is_number_integer())
            out.emplace_back(good).at(place) = 1.5;
        if (value.is_string())
            out.emplace_back(good).at(place) = "%";
    }
    return out;
}

SweepFile sample_sweep() {
    SweepFile out;
    out.id = full_sample_run().id;
    out.tool_version = "0.1.0";
    out.x = "max_connections";
    out.load = "pgbench -S";
    out.wall_start = "2024-05-01T12:00:00Z";
    out.points = {{200, "off", 1, 2, {{"idle", "100"}}, PointState::done, "200-off-1.snap", "", {}, {}},
                  {400, "", 1, 0, {}, PointState::failed, std::nullopt, "the server did not start", {}, {}},
                  {700, "off", 1, 1, {}, PointState::planned, std::nullopt, "", {}, {}}};
    out.warnings = {"interrupted once"};
    return out;
}

Status write_all_runs(const std::filesystem::path& folder) {
    SNAPSCOPE_TRY(write_finished(folder / "full.snap", full_sample_run()));
    SNAPSCOPE_TRY(write_finished(folder / "bare.snap", bare_sample_run()));
    SNAPSCOPE_TRY(write_unfinished(folder / "unfinished.snap"));
    SNAPSCOPE_TRY(write_sweep_file(folder, sample_sweep()));
    std::ofstream refused(folder / "refused.jsonl");
    for (const json& run : damaged_runs()) {
        // Free text may be "%", numbers with a sign may be -1: not for the schema.
        const auto read = run_from_json(run);
        if (!read)
            refused << json{{"why", read.error().what}, {"run", run}}.dump() << '\n';
    }
    refused.flush();
    return refused ? Status() : fail("cannot write " + (folder / "refused.jsonl").string());
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 2) {
        std::fputs("usage: schema_make_runs FOLDER\n", stderr);
        return 2;
    }
    std::error_code error;
    std::filesystem::remove_all(argv[1], error);
    std::filesystem::create_directories(argv[1], error);
    if (const auto status = write_all_runs(argv[1]); !status) {
        std::fprintf(stderr, "%s\n", status.error().message().c_str());
        return 1;
    }
    return 0;
}
