// The emulated machine: QEMU's arguments for a topology.
#pragma once

#include <snapscope/analyzer/topology.hpp>
#include <snapscope/base/result.hpp>
#include <snapscope/emulator/packages.hpp>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace snapscope::emulator {

inline constexpr std::size_t most_vcpus = 64;

struct Machine {
    std::string shape; // "2x2": sockets x cores, or sockets x last-level caches x cores
    Topology topology; // its CPUs by number are the vcpus
    std::uint32_t sockets = 0, caches = 0, cores = 0;
};

// Class usage: no such shape, hardware threads, one CPU, or more than most_vcpus.
[[nodiscard]] Result<Machine> machine_from_shape(const std::string& shape);

struct MachineFiles {
    std::filesystem::path initrd, console, stream, plugin;
    std::vector<std::uint64_t> marks; // addresses that the plug-in notes
    std::uint64_t memory_mib = 1024;
    std::uint64_t tsc_khz = 0; // of the host
};

[[nodiscard]] std::vector<std::string> qemu_arguments(const Packages& packages, const Machine& machine,
                                                      const MachineFiles& files);

// Ticks of the host's TSC in a millisecond, by its clock.
[[nodiscard]] std::uint64_t measure_tsc_khz();

} // namespace snapscope::emulator
