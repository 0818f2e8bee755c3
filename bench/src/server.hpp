// One of the servers that are measured side by side: a temporary cluster with
// its idle connections and a few sessions of ours.  Errors end the benchmark.
#pragma once

#include "session.hpp"

#include <snapscope/lab/cluster.hpp>
#include <snapscope/lab/idle_connections.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace snapscope::bench {

using Settings = std::vector<std::pair<std::string, std::string>>;

// What can be compared, by the names that the reports use.
namespace contender {
inline constexpr const char* unpatched = "unpatched";
inline constexpr const char* again = "unpatched again"; // a second server of the same: the A/A pair
inline constexpr const char* off = "off";
inline constexpr const char* copy = "copy";
inline constexpr const char* spin = "spin";
inline constexpr const char* lockfree = "lockfree";
inline constexpr const char* debian15 = "debian15";
// Of other versions, where SNAPSCOPE_PG14_PREFIX and so on name installed ones.
inline constexpr const char* pg14 = "pg14";
inline constexpr const char* pg16 = "pg16";
inline constexpr const char* pg17 = "pg17";
inline constexpr const char* pg18 = "pg18";
} // namespace contender

class Server {
  public:
    // A contender's server.  Another `label` tells two servers of one contender apart.
    static std::unique_ptr<Server> start(const std::string& contender, const Settings& settings,
                                         const std::string& label = {});

    [[nodiscard]] const std::string& name() const { return name_; }
    [[nodiscard]] bool patched() const { return patched_; } // has pg_stat_snapshot_cache
    [[nodiscard]] const std::filesystem::path& prefix() const { return prefix_; }
    [[nodiscard]] pid_t pid() const { return cluster_->pid(); }
    [[nodiscard]] std::filesystem::path data_folder() const { return cluster_->data_folder(); }
    [[nodiscard]] auto environment() const { return cluster_->environment(); }
    [[nodiscard]] std::string conninfo() const { return cluster_->conninfo(); }

    // One of two sessions that stay open.
    [[nodiscard]] Session& session(std::size_t which = 0) const { return *sessions_.at(which); }

    // Holds exactly so many idle connections; returns when closed ones have ended.
    void hold_idle(std::size_t count);

    // CPU time of ended backends as the postmaster's children account for it, in us.
    [[nodiscard]] double children_cpu_us() const;
    [[nodiscard]] std::size_t children() const;
    void wait_for_children(std::size_t at_most) const;

    // Lines of the server's log with PANIC in them.
    [[nodiscard]] std::size_t panics() const;

    // Ends it; the data folder stays.
    void stop();

  private:
    Server() = default;

    std::string name_;
    bool patched_ = false;
    std::filesystem::path prefix_;
    std::unique_ptr<Cluster> cluster_;
    std::vector<std::unique_ptr<Session>> sessions_;
    std::vector<IdleConnections> idle_;
    std::size_t idle_count_ = 0;
};

using Servers = std::vector<std::unique_ptr<Server>>;

// Those of the names that this machine has, started with the same settings; what
// is left out, and why, goes into `absent`.
[[nodiscard]] Servers start_all(const std::vector<std::string>& contenders, const Settings& settings,
                                std::vector<std::string>& absent);

[[nodiscard]] Server& find(const Servers& servers, const std::string& name);
[[nodiscard]] Server* find_if_there(const Servers& servers, const std::string& name);

// Whether this machine has the memory for so many more backends.
[[nodiscard]] bool has_memory_for(std::size_t backends);

// As many connections as the account may have, over all servers.
void raise_open_files_limit();

} // namespace snapscope::bench
