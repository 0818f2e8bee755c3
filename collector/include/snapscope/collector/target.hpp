// Which server is meant: from --pid, --pgdata, --port or nothing to one
// running postmaster.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/procfs.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct TargetSpec {
    std::optional<pid_t> pid;
    std::optional<std::string> pgdata;
    std::optional<std::uint16_t> port;
    std::optional<std::string> host; // socket folder, only with port
    std::optional<std::string> dsn;  // for the login, not for finding the server
};

// The lines of postmaster.pid that matter here.
struct PostmasterFile {
    pid_t pid = 0;
    std::string pgdata;
    std::optional<std::uint16_t> port;
    std::optional<std::string> socket_folder;
    bool stopping = false; // shuts down
    bool ready = false;    // takes sessions, or replays what a primary sends
};
[[nodiscard]] Result<PostmasterFile> parse_postmaster_file(std::string_view text);

struct Postmaster {
    pid_t pid = 0;
    std::string exe;    // as the kernel prints it
    std::string pgdata; // empty when unreadable
    std::optional<std::uint16_t> port;
    std::optional<std::string> socket_folder;
    // "pid 812, port 5432, /srv/pg/data"
    [[nodiscard]] std::string describe() const;
};

[[nodiscard]] bool is_postgres(const ProcFs& proc, pid_t pid);
[[nodiscard]] std::vector<Postmaster> find_postmasters(const ProcFs& proc);

// Why find_postmasters() finds none (WHERE: "", " on port 5432"): none runs, or
// only such as this user may not look at.
[[nodiscard]] Error no_server(const ProcFs& proc, const std::string& where = {});
[[nodiscard]] Error server_has_ended(pid_t pid);

// A login that says where the server is can be of one server only.
[[nodiscard]] bool login_names_a_server(const std::string& dsn);

// Options that contradict each other or say nothing: class usage.
[[nodiscard]] Status check_target(const TargetSpec& spec);

// The one postmaster that SPEC means, after check_target().  None, several, a
// backend, no such process, one that has ended: class failed.
[[nodiscard]] Result<Postmaster> find_target(const ProcFs& proc, const TargetSpec& spec);

// Other postmasters that run the same binary (device and inode): a probe set
// on the binary fires in them too.
[[nodiscard]] std::vector<Postmaster> same_binary(const ProcFs& proc, pid_t postmaster);

} // namespace snapscope
