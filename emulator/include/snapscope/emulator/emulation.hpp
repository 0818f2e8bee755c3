// One boot of the emulated machine: a server in one mode, one load after the
// other, each recorded as a phase.
#pragma once

#include <snapscope/emulator/machine.hpp>
#include <snapscope/emulator/packages.hpp>
#include <snapscope/emulator/phase_recorder.hpp>
#include <snapscope/emulator/server_map.hpp>
#include <snapscope/recording/run.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace snapscope::emulator {

struct LoadPhase {
    std::uint64_t barrier_instructions = 5000;
    std::uint64_t transactions = 500; // a client
};

struct EmulationOptions {
    std::string mode; // snapshot_cache; empty: the server has no such setting
    bool slot_spread = false;
    std::string workload = "select-only"; // or tpcb-like, or what `script` is called
    std::string script;                   // a pgbench script's text
    std::uint64_t clients = 8, idle = 0;
    std::uint64_t max_connections = 0; // 0: 100, or some more than there are
    std::vector<std::pair<std::string, std::string>> settings;
    std::vector<LoadPhase> phases;
    bool churn = false;  // as many connections as may be come and go first
    bool events = false; // also the server's own events; a patched one only
    std::chrono::seconds limit{600};
};

// The server's setting.
[[nodiscard]] std::uint64_t max_connections_of(const EmulationOptions& options);

struct Emulation {
    ServerInGuest guest;
    std::vector<RecordedPhase> phases;  // as options.phases
    std::vector<Workload> loads;        // what pgbench said of each
    std::vector<std::uint32_t> sockets; // of each CPU, as the guest's kernel sees them
};

struct EmulationInputs {
    const Packages& packages;
    const ServerMap& server;
    const Machine& machine;
    std::filesystem::path image;
};

// Boots, runs and ends; nothing is left running, whatever happens.  An error
// says how far the guest came and has the last lines of its console.
[[nodiscard]] Result<Emulation> emulate(const EmulationInputs& inputs, const EmulationOptions& options,
                                        const Progress& progress, const std::atomic<bool>* stop);

} // namespace snapscope::emulator
