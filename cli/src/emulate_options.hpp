// What the options of `snapscope emulate` mean: which servers, modes, loads and
// settings.
#pragma once

#include "output.hpp"

#include <snapscope/emulator/emulation.hpp>

#include <string>
#include <vector>

namespace snapscope::cli {

inline constexpr std::uint64_t least_barrier = 100;
inline constexpr std::uint64_t most_barrier = 10000000;
inline constexpr std::string_view emulate_spread_suffix = "+spread";

// As given.
struct EmulateOptions {
    std::vector<std::string> servers, settings;
    std::string topology = "2x2", modes, workload = "select-only", output, converge = "1000,20000";
    bool spread = false, force = false, check_model = false;
    std::uint64_t transactions = 500, repeats = 1, barrier = 5000;
    emulator::EmulationOptions emulation;
    Format format = Format::text;
};

// A boot: a server in a mode.
struct Variant {
    const emulator::ServerMap* server = nullptr;
    std::string mode; // empty: the server has none
    bool spread = false;
    [[nodiscard]] std::string name() const {
        return (mode.empty() ? "stock" : mode) + (spread ? std::string(emulate_spread_suffix) : "");
    }
};

// What `patched-pg/build/build.sh` built last.
[[nodiscard]] Result<std::string> default_emulated_server(const std::filesystem::path& cache);

// Fills `emulation` from the words; class usage where one cannot be meant.
[[nodiscard]] Status take_words(EmulateOptions& options);

[[nodiscard]] Result<std::vector<Variant>> variants_of(const std::vector<emulator::ServerMap>& servers,
                                                       const EmulateOptions& options);

} // namespace snapscope::cli
