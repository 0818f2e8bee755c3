#include "sql_connection.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/target.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <sstream>
#include <sys/stat.h>

namespace snapscope {
namespace {

std::string exe_name(std::string exe) {
    constexpr std::string_view deleted = " (deleted)";
    if (exe.ends_with(deleted))
        exe.resize(exe.size() - deleted.size());
    return std::filesystem::path(exe).filename().string();
}

// -D of the command line; a fall-back for processes whose cwd cannot be read.
std::string pgdata_argument(const std::vector<std::string>& arguments) {
    for (std::size_t i = 1; i < arguments.size(); ++i) {
        if (arguments[i] == "-D" && i + 1 < arguments.size())
            return arguments[i + 1];
        if (arguments[i].starts_with("-D"))
            return arguments[i].substr(2);
    }
    return {};
}

Postmaster describe_postmaster(const ProcFs& proc, pid_t pid) {
    Postmaster found;
    found.pid = pid;
    found.exe = proc.link(pid, "exe").value_or("");
    // A postmaster's working folder is its data folder.
    found.pgdata = proc.link(pid, "cwd").value_or("");
    if (found.pgdata.empty())
        found.pgdata = pgdata_argument(proc.cmdline(pid));
    auto text = read_text(proc.path(pid, "cwd/postmaster.pid"));
    if (!text && !found.pgdata.empty())
        text = read_text(std::filesystem::path(found.pgdata) / "postmaster.pid");
    if (text) {
        // An orphaned backend shares the folder, but the file names another process.
        if (auto file = parse_postmaster_file(*text); file && file->pid == proc.namespace_pid(pid)) {
            found.port = file->port;
            found.socket_folder = file->socket_folder;
            if (found.pgdata.empty())
                found.pgdata = file->pgdata;
        }
    }
    return found;
}

// Not yet reaped by its parent.
bool has_ended(const ProcessStat& process) {
    return process.state == 'Z' || process.state == 'X';
}

// Calls FOUND for every process of postgres that no other one started, as far as this user can see.
template <typename F> void each_postmaster(const ProcFs& proc, F found) {
    for (const pid_t pid : proc.pids()) {
        if (!is_postgres(proc, pid))
            continue;
        if (const auto process = proc.stat(pid); process && !has_ended(*process) && !is_postgres(proc, process->parent))
            found(pid);
    }
}

bool same_folder(const std::filesystem::path& one, const std::filesystem::path& other) {
    return (one / "").lexically_normal() == (other / "").lexically_normal();
}

std::string list_of(const std::vector<Postmaster>& postmasters) {
    std::string text;
    for (const auto& postmaster : postmasters)
        text += (text.empty() ? "" : " | ") + postmaster.describe();
    return text;
}

Result<Postmaster> by_pid(const ProcFs& proc, pid_t pid) {
    const std::string name = "pid " + std::to_string(pid);
    const auto process = proc.stat(pid);
    if (!process)
        return fail("no process has " + name);
    if (has_ended(*process))
        return fail(server_has_ended(pid));
    if (!is_postgres(proc, pid))
        return fail(name + " is not a PostgreSQL server but " + process->name);
    pid_t top = pid;
    for (auto stat = process; stat && is_postgres(proc, stat->parent); stat = proc.stat(top))
        top = stat->parent;
    if (top != pid)
        return fail(name + " is a backend of the postmaster with pid " + std::to_string(top),
                    "use --pid " + std::to_string(top));
    return describe_postmaster(proc, pid);
}

Result<Postmaster> by_pgdata(const ProcFs& proc, const std::string& pgdata) {
    std::error_code error;
    const auto wanted = std::filesystem::canonical(pgdata, error);
    if (error)
        return fail("no data folder at " + pgdata + ": " + error.message());
    for (const auto& postmaster : find_postmasters(proc)) {
        if (postmaster.pgdata.empty())
            continue;
        const auto path = std::filesystem::canonical(postmaster.pgdata, error);
        if (!error && path == wanted)
            return postmaster;
    }
    const bool is_data_folder = std::filesystem::exists(wanted / "PG_VERSION", error);
    if (error)
        return fail("cannot look into " + pgdata + ": " + error.message(), "run as the server's user or as root");
    if (!is_data_folder)
        return fail(pgdata + " is not a data folder (it has no PG_VERSION)");
    return fail("no server runs in " + pgdata,
                std::filesystem::exists(wanted / "postmaster.pid", error) ? "its postmaster.pid is stale" : "");
}

// Of the servers FOUND on one port, those whose socket lies in HOST.
Status keep_sockets_in(const std::string& host, std::vector<Postmaster>& found, const std::string& where) {
    std::string elsewhere;
    for (const auto& postmaster : found)
        elsewhere += (elsewhere.empty() ? "" : ", ") + postmaster.socket_folder.value_or("none");
    std::erase_if(found, [&](const Postmaster& postmaster) {
        return !postmaster.socket_folder || !same_folder(*postmaster.socket_folder, host);
    });
    if (found.empty())
        return fail("no server" + where + " has its socket in " + host, "the socket folder there: " + elsewhere);
    return {};
}

} // namespace

Result<PostmasterFile> parse_postmaster_file(std::string_view text) {
    std::vector<std::string> lines;
    std::istringstream stream{std::string(text)};
    for (std::string line; std::getline(stream, line);)
        lines.push_back(line);
    PostmasterFile file;
    if (lines.size() < 2)
        return fail("postmaster.pid has fewer than two lines");
    const auto pid = parse_integer<pid_t>(lines[0]);
    if (!pid || *pid <= 0)
        return fail("postmaster.pid does not start with a pid");
    file.pid = *pid;
    file.pgdata = lines[1];
    if (lines.size() > 3)
        file.port = parse_integer<std::uint16_t>(lines[3]);
    if (lines.size() > 4 && !lines[4].empty())
        file.socket_folder = lines[4];
    const auto status = lines.size() > 7 ? trim(lines[7]) : std::string_view();
    file.stopping = status == "stopping";
    file.ready = status == "ready" || status == "standby";
    return file;
}

std::string Postmaster::describe() const {
    std::string text = "pid " + std::to_string(pid);
    if (port)
        text += ", port " + std::to_string(*port);
    if (!pgdata.empty())
        text += ", " + pgdata;
    return text;
}

bool is_postgres(const ProcFs& proc, pid_t pid) {
    if (const auto exe = proc.link(pid, "exe")) {
        const auto name = exe_name(*exe);
        return name == "postgres" || name == "postmaster";
    }
    // Another user's process: its name must do.
    const auto process = proc.stat(pid);
    return process && (process->name == "postgres" || process->name == "postmaster");
}

std::vector<Postmaster> find_postmasters(const ProcFs& proc) {
    std::vector<Postmaster> found;
    each_postmaster(proc, [&](pid_t pid) {
        auto postmaster = describe_postmaster(proc, pid);
        // `postgres --version` and orphaned backends have no postmaster.pid of their own.
        if (postmaster.port)
            found.push_back(std::move(postmaster));
    });
    return found;
}

Error no_server(const ProcFs& proc, const std::string& where) {
    std::size_t hidden = 0;
    each_postmaster(proc, [&](pid_t pid) { hidden += proc.link(pid, "exe") ? 0U : 1U; });
    Error error{ErrorClass::failed, "no PostgreSQL server runs" + where, ""};
    if (hidden > 0) {
        error.what = fmt::format("{}{} PostgreSQL server{} that this user may not look at",
                                 where.empty() ? "" : "no server is seen" + where + ", but ", hidden,
                                 hidden == 1 ? " runs" : "s run");
        error.hint = "run as the server's user or as root";
    }
    return error;
}

Error server_has_ended(pid_t pid) {
    return {ErrorClass::failed, "pid " + std::to_string(pid) + " has ended", "name a server that runs"};
}

bool login_names_a_server(const std::string& dsn) {
    const auto login = merge_parameters({}, dsn);
    return login && std::ranges::any_of(std::array{"host", "hostaddr", "port", "service"},
                                        [&](const char* place) { return login->contains(place); });
}

Status check_target(const TargetSpec& spec) {
    const int ways = (spec.pid ? 1 : 0) + (spec.pgdata ? 1 : 0) + (spec.port ? 1 : 0);
    if (ways > 1)
        return fail("--pid, --pgdata and --port exclude each other", "give one of them", ErrorClass::usage);
    if (spec.host && !spec.port)
        return fail("--host needs --port", "add --port N", ErrorClass::usage);
    if (const auto login = merge_parameters({}, spec.dsn.value_or("")); !login)
        return fail(login.error());
    return {};
}

Result<Postmaster> find_target(const ProcFs& proc, const TargetSpec& spec) {
    SNAPSCOPE_TRY(check_target(spec));
    if (spec.pid)
        return by_pid(proc, *spec.pid);
    if (spec.pgdata)
        return by_pgdata(proc, *spec.pgdata);

    auto found = find_postmasters(proc);
    if (spec.port)
        std::erase_if(found, [&](const Postmaster& postmaster) { return postmaster.port != spec.port; });
    const std::string where = spec.port ? " on port " + std::to_string(*spec.port) : "";
    if (found.empty())
        return fail(no_server(proc, where));
    if (spec.host)
        SNAPSCOPE_TRY(keep_sockets_in(*spec.host, found, where));
    if (found.size() > 1)
        return fail("several PostgreSQL servers run" + where + ": " + list_of(found), "choose one with --pid");
    return found.front();
}

std::vector<Postmaster> same_binary(const ProcFs& proc, pid_t postmaster) {
    std::vector<Postmaster> others;
    struct stat own {};
    if (::stat(proc.path(postmaster, "exe").c_str(), &own) != 0)
        return others;
    for (auto& other : find_postmasters(proc)) {
        struct stat file {};
        if (other.pid != postmaster && ::stat(proc.path(other.pid, "exe").c_str(), &file) == 0 &&
            file.st_dev == own.st_dev && file.st_ino == own.st_ino)
            others.push_back(std::move(other));
    }
    return others;
}

} // namespace snapscope
