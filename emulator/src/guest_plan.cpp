#include "guest_plan.hpp"

#include <snapscope/emulator/guest_image.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope::emulator {
namespace {

constexpr std::uint64_t default_connections = 100; // the server's own
constexpr std::uint64_t spare_connections = 12;
constexpr std::uint64_t mib = 1U << 20U;
constexpr std::uint64_t server_mib = 512; // kernel, shared memory, caches
constexpr std::uint64_t backend_mib = 6;
constexpr std::uint64_t churned_mib = 3;        // a connection that does nothing
constexpr const char* event_ring = "8MB";       // a slot: nobody empties it while a load runs
constexpr std::uint64_t warm_transactions = 20; // a client: catalogs are read, pages found

using Words = std::vector<std::string>;

Words server_words(const ServerMap& server, const EmulationOptions& options) {
    Words out{"server", server.binary.string(), "-D", guest_data_folder};
    const auto set = [&out](const std::string& name, const std::string& value) {
        out.emplace_back("-c");
        out.push_back(name + "=" + value);
    };
    set("listen_addresses", "");
    set("unix_socket_directories", "/tmp");
    set("port", "5432");
    set("max_connections", std::to_string(max_connections_of(options)));
    set("shared_buffers", "32MB");
    set("huge_pages", "off");
    set("fsync", "off");
    set("autovacuum", "off"); // its snapshots would come at any time
    set("max_logical_replication_workers", "0");
    set("checkpoint_timeout", "1h");
    set("max_wal_size", "4GB");
    set("jit", "off");
    set("timezone", "GMT");
    set("log_timezone", "GMT");
    if (!options.mode.empty())
        set("snapshot_cache", options.mode);
    if (options.slot_spread)
        set("snapshot_slot_spread", "on");
    if (options.events)
        set("snapshot_event_ring_size", event_ring);
    for (const auto& [name, value] : options.settings)
        set(name, value);
    return out;
}

Words load_words(const ServerMap& server, const Machine& machine, const EmulationOptions& options,
                 std::uint64_t transactions) {
    Words out{server.pgbench.string(), "-n", "-h", "/tmp", "-U", "postgres", "-c", std::to_string(options.clients)};
    out.emplace_back("-j");
    out.push_back(std::to_string(std::min<std::uint64_t>(options.clients, machine.topology.cpus.size())));
    out.emplace_back("-t");
    out.push_back(std::to_string(transactions));
    if (!options.script.empty())
        out.insert(out.end(), {"-f", guest_script});
    else
        out.insert(out.end(), {"-b", options.workload});
    out.emplace_back("postgres");
    return out;
}

} // namespace

std::uint64_t max_connections_of(const EmulationOptions& options) {
    return options.max_connections != 0
               ? options.max_connections
               : std::max(default_connections, options.clients + options.idle + spare_connections);
}

std::uint64_t memory_mib_of(const EmulationOptions& options, std::uint64_t image_bytes) {
    return server_mib + 2 * image_bytes / mib + backend_mib * (options.clients + options.idle) +
           (options.churn ? churned_mib * max_connections_of(options) : 0);
}

Result<std::string> guest_plan(const ServerMap& server, const Machine& machine, const EmulationOptions& options) {
    std::vector<Words> lines{server_words(server, options),
                             {"idle", std::to_string(options.idle)},
                             {"base", std::to_string(server.base), std::to_string(server.base)}};
    if (options.churn)
        lines.push_back({"churn", std::to_string(max_connections_of(options))});
    if (options.events)
        lines.push_back({"events"});
    for (const std::string& range : server.ranges)
        lines.push_back({range});
    Words warm = load_words(server, machine, options, warm_transactions);
    warm.insert(warm.begin(), "warm");
    lines.push_back(std::move(warm));
    std::uint64_t number = 0;
    for (const LoadPhase& phase : options.phases) {
        Words words = load_words(server, machine, options, phase.transactions);
        words.insert(words.begin(), {"phase", std::to_string(++number), std::to_string(phase.barrier_instructions)});
        lines.push_back(std::move(words));
    }
    std::string out;
    for (const Words& words : lines) {
        for (const std::string& word : words)
            if (words.size() > 1 && word.find_first_of(" \t\n") != std::string::npos)
                return fail(fmt::format("'{}' has a blank in it, which the guest cannot be told", word), "",
                            ErrorClass::usage);
        out += fmt::format("{}\n", fmt::join(words, " "));
    }
    return out;
}

} // namespace snapscope::emulator
