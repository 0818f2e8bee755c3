// What a sweep varies, and the points that follow from it in the order in which
// they run.  Pure.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/sweep.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// One thing that is varied, beside x and the mode, with its values as given.
struct SweepVariable {
    std::string name; // clients, idle, snapshot_layout_pad, server
    std::vector<std::string> values;
};

struct SweepSpec {
    std::string x = "max_connections"; // or clients
    std::vector<double> xs;
    std::vector<std::string> modes{""}; // of snapshot_cache; "": the server's own
    std::vector<SweepVariable> variables;
    std::uint32_t repeats = 1;
    std::uint64_t seed = 0;
};

// "200:1000:100" (both ends included), "200,400,1000" or "200": ascending, each
// once.  Anything else, and more than 10000 values: class usage, OPTION named.
[[nodiscard]] Result<std::vector<std::uint32_t>> parse_values(std::string_view text, std::string_view option);

// Every combination, `repeats` times, `order` from 0 (README: Order).  Points
// stand in their order.
[[nodiscard]] std::vector<SweepPoint> plan_points(const SweepSpec& spec);

// The value of the point's variable NAME, or empty.
[[nodiscard]] std::string variable_of(const SweepPoint& point, std::string_view name);

// "max_connections 400, copy, idle 100, repeat 2"
[[nodiscard]] std::string describe(const SweepPoint& point, const std::string& x);

// A name for the point's run, of letters, digits, '.', '_' and '-', with .snap.
[[nodiscard]] std::string run_name(const SweepPoint& point);

// Whether A and B plan the same: x, seed and every point's place and values.
[[nodiscard]] bool same_plan(const SweepFile& a, const SweepFile& b);

} // namespace snapscope
