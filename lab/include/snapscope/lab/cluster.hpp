// A temporary PostgreSQL server: made, started, stopped and removed by its
// owner.  Used by the demo, the benchmarks and the tests.
//
// It listens on a unix socket only, in a folder that only its own account and
// root can enter, and runs under server_account().  When the program that owns
// it is killed, the kernel tells it to stop at once, and the next cluster that
// is started removes what it left.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace snapscope {

class Cluster;

struct ClusterOptions {
    std::filesystem::path prefix; // holds bin/initdb and bin/postgres
    // Written to postgresql.conf after the lab's own; the last one of a name counts.
    std::vector<std::pair<std::string, std::string>> settings;
    std::uint16_t port = 5432; // only names the socket
    std::chrono::seconds start_limit{60};
    // A hot standby of this one, which must run; else a new cluster.
    const Cluster* primary = nullptr;
};

class Cluster {
  public:
    // initdb and a started server that accepts connections.
    [[nodiscard]] static Result<Cluster> start(const ClusterOptions& options);

    Cluster(Cluster&&) noexcept = default;
    Cluster& operator=(Cluster&&) noexcept = delete;
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;
    ~Cluster() { stop(); }

    [[nodiscard]] pid_t pid() const { return postmaster_.pid(); }
    [[nodiscard]] std::uint16_t port() const { return options_.port; }
    [[nodiscard]] std::filesystem::path data_folder() const { return folder_.path() / "data"; }
    [[nodiscard]] std::filesystem::path socket_folder() const { return folder_.path() / "socket"; }
    [[nodiscard]] std::filesystem::path socket() const;
    [[nodiscard]] std::filesystem::path log_file() const { return folder_.path() / "log"; }
    [[nodiscard]] const std::string& user() const { return user_; } // the superuser's name; no password

    // PGHOST, PGPORT, PGUSER and PGDATABASE for libpq's programs.
    [[nodiscard]] std::vector<std::pair<std::string, std::string>> environment() const;
    // The same as a connection string.
    [[nodiscard]] std::string conninfo() const;

    // Fast shutdown (then immediate, then kill); the folder stays until the end.
    void stop() noexcept;

    // Stopped where it runs, and started again on the same data, with these
    // settings in place of those of ClusterOptions.
    [[nodiscard]] Status restart(const std::vector<std::pair<std::string, std::string>>& settings);

  private:
    Cluster(ScratchFolder folder, Process postmaster, ClusterOptions options)
        : folder_(std::move(folder)), postmaster_(std::move(postmaster)), options_(std::move(options)) {}

    ScratchFolder folder_;
    Process postmaster_;
    ClusterOptions options_; // `primary` is not kept
    std::string user_ = "postgres";
};

} // namespace snapscope
