// A sweep on disk, NAME.sweep/: sweep.json, and one run (.snap) a point and
// repeat.  `sweep` writes it, point by point, and resumes it; `analyze` and
// reports read it (docs/sweep-schema.json).
//
// sweep.json holds the whole plan from the start: a point that was not reached
// is `planned`, one that gave no result is `failed` with its reason.  Neither
// ever becomes a number.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

inline constexpr int sweep_schema_version = 1;

enum class PointState { planned, done, failed };

// One server start at one value of x.
struct SweepPoint {
    double x = 0;
    std::string mode;               // snapshot_cache; empty where the server has none
    std::uint32_t repeat = 0;       // of this x and mode, from 1
    std::uint32_t order = 0;        // place in the whole sweep, from 0: its place in time
    std::vector<Setting> variables; // what else this point varies (clients, idle, pad, ...)
    PointState state = PointState::planned;
    std::optional<std::string> run; // folder name inside the sweep; only of a point that is done
    std::string reason;             // why it failed; empty otherwise
    // Of a point that is done and whose load printed a series of tps: how much
    // of its start is warm-up, and the mean of the rest.
    std::optional<double> warm_up_s, steady_tps;
};

struct SweepFile {
    std::string id; // random, 32 hex digits
    std::string tool_version;
    std::string x;          // max_connections or clients
    std::uint64_t seed = 0; // of the order
    std::string load;       // command line
    std::string wall_start; // RFC 3339, UTC
    std::vector<SweepPoint> points;
    std::vector<std::string> warnings;
};

// Strict: an unknown schema_version, a wrong type, a missing field, a run name
// that leaves the folder, or a state that contradicts its fields is an error
// that names the JSON pointer; unknown fields are ignored.
[[nodiscard]] Result<SweepFile> sweep_from_json(const nlohmann::json& json);
[[nodiscard]] nlohmann::json sweep_to_json(const SweepFile& sweep);

// FOLDER/sweep.json.
[[nodiscard]] Result<SweepFile> read_sweep_file(const std::filesystem::path& folder);
// Replaces it as a whole; refuses what read_sweep_file would refuse.
[[nodiscard]] Status write_sweep_file(const std::filesystem::path& folder, const SweepFile& sweep);

[[nodiscard]] const char* to_string(PointState state);

} // namespace snapscope
