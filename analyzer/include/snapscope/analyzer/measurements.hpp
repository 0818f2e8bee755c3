// What diff compares: one measurement is one run, or one row of a CSV file.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

struct MeasuredValue {
    double value = 0;
    std::string source; // who measured it; "csv" for a row
};

// The conditions stand beside the values, so that unlike things are not
// compared; nullopt or empty where a CSV row does not say.
struct Measurement {
    std::string label; // the path as given; for a row "FILE:LINE"
    std::map<std::string, MeasuredValue> values;

    std::optional<std::string> run_id;
    std::optional<Pairing> pairing;
    std::optional<std::uint32_t> clients;
    std::optional<bool> reconnect;
    std::string load; // its command, without where it connects to
    // Which of pgbench's two figures tps is, where a table says: with or without the time for connecting.
    std::optional<bool> tps_includes_connecting;
    bool workload_valid = true;
    bool finished = true;
    std::string host, server_version, snapshot_cache;
    std::optional<std::uint32_t> max_connections;
    std::vector<Setting> settings;
    std::vector<std::string> active_sources; // with "events" where they were recorded
    std::uint64_t lost = 0;
    std::vector<std::string> warnings; // about reading it
};

[[nodiscard]] Measurement measure(const Run& run, std::string label);

// A CSV table (RFC 4180; a header line; '#' begins a comment line) with a
// column tps.  Other columns that hold numbers alone are metrics of that name,
// except those that number or describe runs (repeat, round, clients, ...); of
// these clients and reconnect become conditions.  Errors name line and column.
[[nodiscard]] Result<std::vector<Measurement>> measurements_from_csv(std::string_view text, const std::string& label);

// PATH is a run folder, or a CSV file.
[[nodiscard]] Result<std::vector<Measurement>> load_measurements(const std::filesystem::path& path);

} // namespace snapscope
