#include "cluster_files.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/lab/cluster.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::size_t max_file_bytes = 16U << 20U;
constexpr auto initdb_limit = 300s;
constexpr auto fast_grace = 20s;
constexpr auto immediate_grace = 8s;
constexpr auto ready_poll = 20ms;
constexpr const char* settings_file = "snapscope.conf";

fs::path socket_of(const fs::path& folder, std::uint16_t port) {
    return folder / "socket" / fmt::format(".s.PGSQL.{}", port);
}

Status give_to(const fs::path& path, const std::optional<Account>& account) {
    if (account && ::lchown(path.c_str(), account->uid, account->gid) != 0)
        return fail_errno("cannot give " + path.string() + " to the account " + account->name, errno);
    return {};
}

Status make_folder_for(const fs::path& path, const std::optional<Account>& account) {
    SNAPSCOPE_TRY(create_private_folder(path));
    return give_to(path, account);
}

Command program(const ClusterOptions& options, const fs::path& folder, const std::optional<Account>& account,
                const std::string& name) {
    Command command;
    command.argv = {(options.prefix / "bin" / name).string()};
    command.account = account;
    command.folder = folder / "data";
    command.environment = {{"LC_ALL", "C"}};
    return command;
}

Status run_initdb(const ClusterOptions& options, const fs::path& folder, const std::optional<Account>& account) {
    auto command = program(options, folder, account, "initdb");
    for (const auto* word : {"--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync"})
        command.argv.emplace_back(word);
    command.argv.push_back("--pgdata=" + (folder / "data").string());
    const auto finished = run_to_end(std::move(command), initdb_limit);
    if (!finished)
        return fail(finished.error());
    if (finished->status != 0)
        return fail(fmt::format("initdb failed ({}): {}", finished->status, cluster::reason_in(finished->output)));
    return {};
}

Status run_basebackup(const ClusterOptions& options, const fs::path& folder, const std::optional<Account>& account) {
    auto command = program(options, folder, account, "pg_basebackup");
    command.argv.insert(command.argv.end(), {"--pgdata=" + (folder / "data").string(), "--write-recovery-conf",
                                             "--checkpoint=fast", "--no-sync"});
    for (auto& variable : options.primary->environment())
        command.environment.push_back(std::move(variable));
    const auto finished = run_to_end(std::move(command), initdb_limit);
    if (!finished)
        return fail(finished.error());
    if (finished->status != 0)
        return fail(
            fmt::format("pg_basebackup failed ({}): {}", finished->status, cluster::reason_in(finished->output)));
    return {};
}

// Ours in a file of their own, so that a restart replaces them all.
Status write_settings(const ClusterOptions& options, const fs::path& folder) {
    std::vector<std::pair<std::string, std::string>> settings = {
        {"listen_addresses", ""},
        {"unix_socket_directories", (folder / "socket").string()},
        {"port", std::to_string(options.port)},
        {"fsync", "off"}, // it is thrown away in any case
        {"logging_collector", "off"},
    };
    settings.insert(settings.end(), options.settings.begin(), options.settings.end());
    return write_file_atomically(folder / "data" / settings_file, cluster::settings_text(settings));
}

Status include_settings(const fs::path& folder) {
    const auto path = folder / "data" / "postgresql.conf";
    const UniqueFd file(::open(path.c_str(), O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC));
    if (!file)
        return fail_errno("cannot write " + path.string(), errno);
    return write_all(file.get(), fmt::format("\ninclude '{}'\n", settings_file), path);
}

// Of what the log says since it was LOG_BYTES long.
std::string log_reason(const fs::path& folder, std::size_t log_bytes) {
    const auto log = read_file(folder / "log", max_file_bytes);
    return log ? cluster::reason_in(std::string_view(*log).substr(std::min(log_bytes, log->size())))
               : log.error().message();
}

std::size_t log_size(const fs::path& folder) {
    std::error_code error;
    const auto bytes = fs::file_size(folder / "log", error);
    return error ? 0 : static_cast<std::size_t>(bytes);
}

Status wait_until_ready(Process& postmaster, const fs::path& folder, std::chrono::seconds limit,
                        std::size_t log_bytes) {
    const auto own_line = std::to_string(postmaster.pid()) + "\n"; // a file of the one before may still be there
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (std::chrono::steady_clock::now() < deadline) {
        if (const auto status = postmaster.wait_for(ready_poll))
            return fail(
                fmt::format("the server ended while starting ({}): {}", *status, log_reason(folder, log_bytes)));
        const auto text = read_file(folder / "data" / "postmaster.pid", max_file_bytes);
        if (text && text->starts_with(own_line) && cluster::says_ready(*text))
            return {};
    }
    return fail(fmt::format("the server did not start within {} s: {}", limit.count(), log_reason(folder, log_bytes)));
}

Result<Process> start_postmaster(const ClusterOptions& options, const fs::path& folder,
                                 const std::optional<Account>& account) {
    SNAPSCOPE_TRY(write_settings(options, folder));
    SNAPSCOPE_TRY(give_to(folder / "data" / settings_file, account));
    auto command = program(options, folder, account, "postgres");
    command.argv.insert(command.argv.end(), {"-D", (folder / "data").string()});
    command.output = Command::Output::file;
    command.output_file = folder / "log";
    command.death_signal = SIGQUIT; // immediate shutdown, the backends included
    return Process::start(std::move(command));
}

} // namespace

Result<Cluster> Cluster::start(const ClusterOptions& options) {
    if (::access((options.prefix / "bin" / "postgres").c_str(), X_OK) != 0)
        return fail(fmt::format("there is no PostgreSQL under {}", options.prefix.string()),
                    "patched-pg/build/build.sh builds one and prints its prefix");
    const auto account = server_account();
    if (!account)
        return fail(account.error());
    (void)remove_abandoned();
    auto folder = ScratchFolder::create();
    if (!folder)
        return fail(folder.error());
    const auto& path = folder->path();
    if (socket_of(path, options.port).string().size() >= sizeof sockaddr_un::sun_path)
        return fail(fmt::format("{} is too long a name for a socket", socket_of(path, options.port).string()),
                    "choose a shorter TMPDIR");

    SNAPSCOPE_TRY(make_folder_for(path / "data", *account));
    SNAPSCOPE_TRY(make_folder_for(path / "socket", *account));
    SNAPSCOPE_TRY(options.primary != nullptr ? run_basebackup(options, path, *account)
                                             : run_initdb(options, path, *account));
    SNAPSCOPE_TRY(include_settings(path));
    auto postmaster = start_postmaster(options, path, *account);
    if (!postmaster)
        return fail(postmaster.error());
    Cluster cluster(std::move(*folder), std::move(*postmaster), options);
    cluster.options_.primary = nullptr;
    SNAPSCOPE_TRY(wait_until_ready(cluster.postmaster_, cluster.folder_.path(), options.start_limit, 0));
    return cluster;
}

Status Cluster::restart(const std::vector<std::pair<std::string, std::string>>& settings) {
    stop();
    const auto account = server_account();
    if (!account)
        return fail(account.error());
    options_.settings = settings;
    const auto log_bytes = log_size(folder_.path());
    auto postmaster = start_postmaster(options_, folder_.path(), *account);
    if (!postmaster)
        return fail(postmaster.error());
    postmaster_ = std::move(*postmaster);
    return wait_until_ready(postmaster_, folder_.path(), options_.start_limit, log_bytes);
}

fs::path Cluster::socket() const {
    return socket_of(folder_.path(), options_.port);
}

std::vector<std::pair<std::string, std::string>> Cluster::environment() const {
    return {{"PGHOST", socket_folder().string()},
            {"PGPORT", std::to_string(options_.port)},
            {"PGUSER", user_},
            {"PGDATABASE", "postgres"}};
}

std::string Cluster::conninfo() const {
    return fmt::format("host='{}' port={} user={} dbname=postgres", socket_folder().string(), options_.port, user_);
}

void Cluster::stop() noexcept {
    try {
        if (postmaster_.pid() <= 0 || postmaster_.wait_for(0ms))
            return;
        postmaster_.send_signal(SIGINT);
        const auto deadline = std::chrono::steady_clock::now() + fast_grace;
        while (!postmaster_.wait_for(100ms) && std::chrono::steady_clock::now() < deadline) {
        }
        if (!postmaster_.wait_for(0ms))
            (void)postmaster_.stop(SIGQUIT, immediate_grace);
    } catch (...) { // no memory: its owner kills it
        postmaster_.send_signal(SIGQUIT);
    }
}

} // namespace snapscope
