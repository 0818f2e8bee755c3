#include <snapscope/base/text.hpp>
#include <snapscope/emulator/machine.hpp>

#include <chrono>
#include <fmt/format.h>
#include <thread>
#include <x86intrin.h>

namespace snapscope::emulator {
namespace {

using namespace std::chrono_literals;

constexpr auto tsc_interval = 50ms;
// What CPUs from 2008 on have.  The TSC is the host's, so it is as invariant as that is, which QEMU does not say by
// itself.
constexpr const char* cpu_model = "Nehalem,+rdtscp,+invtsc,x-force-features=on";
constexpr int far_distance = 21;

// Addresses are the same in each boot, and time is the host's: a guest that
// measures the TSC itself on a loaded host finds it ten times too slow, and one
// that waits for ticks of its timer panics when they come late.
std::string kernel_arguments(std::uint64_t tsc_khz) {
    return fmt::format(
        "console=ttyS0 rdinit=/init quiet panic=-1 nokaslr norandmaps mitigations=off nopti tsc=reliable "
        "tsc_early_khz={} no_timer_check rcupdate.rcu_cpu_stall_suppress=1 nowatchdog random.trust_cpu=on",
        tsc_khz);
}

} // namespace

Result<Machine> machine_from_shape(const std::string& shape) {
    Machine machine;
    machine.shape = shape;
    std::vector<std::uint32_t> parts;
    for (const std::string& word : split(shape, 'x')) {
        const auto number = parse_integer<std::uint32_t>(word);
        if (!number || *number == 0)
            return fail(fmt::format("--topology: '{}' is no shape of a machine", shape), "e.g. 2x2, 2x4, 4x2 or 2x2x2",
                        ErrorClass::usage);
        parts.push_back(*number);
    }
    if (parts.size() == 2)
        parts.insert(parts.begin() + 1, 1);
    if (parts.size() != 3)
        return fail(fmt::format("--topology: '{}' is neither SxC nor SxLxC", shape),
                    "sockets x cores, or sockets x last-level caches x cores", ErrorClass::usage);
    auto topology = topology_from_shape(fmt::format("{}x{}x{}", parts[0], parts[1], parts[2]));
    if (!topology)
        return fail(topology.error());
    const std::size_t cpus = topology->cpus.size();
    if (cpus < 2 || cpus > most_vcpus)
        return fail(fmt::format("--topology: {} CPUs; an emulated machine has 2 to {}", cpus, most_vcpus), "",
                    ErrorClass::usage);
    machine.topology = std::move(*topology);
    machine.topology.name = shape;
    machine.sockets = parts[0];
    machine.caches = parts[1];
    machine.cores = parts[2];
    return machine;
}

std::vector<std::string> qemu_arguments(const Packages& packages, const Machine& machine, const MachineFiles& files) {
    std::vector<std::string> out{packages.qemu.string()};
    const auto add = [&out](const char* option, std::string value) {
        out.emplace_back(option);
        out.push_back(std::move(value));
    };
    for (const char* option : {"-nodefaults", "-no-user-config", "-no-reboot"})
        out.emplace_back(option);
    for (const auto& folder : packages.firmware)
        add("-L", folder.string());
    add("-display", "none");
    add("-machine", "pc");
    add("-accel", "tcg,thread=multi");
    add("-cpu", cpu_model);
    add("-smp", fmt::format("{},sockets={},dies={},cores={},threads=1", machine.topology.cpus.size(), machine.sockets,
                            machine.caches, machine.cores));
    const std::uint64_t node_mib = files.memory_mib / machine.sockets;
    add("-m", fmt::format("{}M", node_mib * machine.sockets));
    const std::uint32_t node_cpus = machine.caches * machine.cores;
    for (std::uint32_t node = 0; node < machine.sockets; ++node) {
        add("-object", fmt::format("memory-backend-ram,id=m{},size={}M", node, node_mib));
        add("-numa", fmt::format("node,nodeid={0},cpus={1}-{2},memdev=m{0}", node, node * node_cpus,
                                 (node + 1) * node_cpus - 1));
        for (std::uint32_t other = 0; other < node; ++other)
            add("-numa", fmt::format("dist,src={},dst={},val={}", node, other, far_distance));
    }
    add("-kernel", packages.kernel.string());
    add("-initrd", files.initrd.string());
    add("-append", kernel_arguments(files.tsc_khz));
    add("-serial", "file:" + files.console.string());
    add("-serial", "stdio");
    std::string plugin = fmt::format("{},stream={}", files.plugin.string(), files.stream.string());
    for (const std::uint64_t mark : files.marks)
        plugin += fmt::format(",mark={:x}", mark);
    add("-plugin", std::move(plugin));
    return out;
}

std::uint64_t measure_tsc_khz() {
    const auto clock = [] { return std::chrono::steady_clock::now(); };
    const auto from = clock();
    const std::uint64_t first = __rdtsc();
    std::this_thread::sleep_for(tsc_interval);
    const std::uint64_t last = __rdtsc();
    const double ms = std::chrono::duration<double, std::milli>(clock() - from).count();
    return static_cast<std::uint64_t>(static_cast<double>(last - first) / ms);
}

} // namespace snapscope::emulator
