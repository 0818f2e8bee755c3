#include "server_return.hpp"

#include <snapscope/collector/binary.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

std::optional<struct stat> status_of(const std::filesystem::path& path) {
    struct stat found {};
    return ::stat(path.c_str(), &found) == 0 ? std::optional(found) : std::nullopt;
}

bool same_file(const std::optional<struct stat>& one, const std::optional<struct stat>& other) {
    return one && other && one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

std::string or_unknown(const std::string& version) {
    return version.empty() ? "unknown" : version;
}

} // namespace

ServerBinary ServerBinary::of(const ProcFs& proc, pid_t postmaster) {
    ServerBinary found;
    const auto exe = proc.path(postmaster, "exe");
    found.file = status_of(exe);
    if (const auto binary = read_binary(exe)) {
        found.build_id = binary->build_id;
        found.version = binary->version.value_or("");
    }
    return found;
}

bool ServerBinary::same_as(const ServerBinary& other) const {
    if (version != other.version)
        return false;
    if (build_id && other.build_id)
        return build_id == other.build_id;
    return same_file(file, other.file);
}

ServerReturn::ServerReturn(const Site& site, const ServerWatch& watch)
    : proc_(site.proc), postmaster_(site.postmaster), folder_(watch.folder()),
      binary_(ServerBinary::of(site.proc, site.postmaster.pid)),
      had_checkpointer_(child_in_role(proc_, postmaster_.pid, "checkpointer").has_value()),
      had_startup_(child_in_role(proc_, postmaster_.pid, "startup").has_value()) {}

bool ServerReturn::same_data(const Postmaster& postmaster) const {
    return same_file(folder_, status_of(proc_.path(postmaster.pid, "cwd"))) ||
           (!postmaster.pgdata.empty() && postmaster.pgdata == postmaster_.pgdata);
}

std::optional<Postmaster> ServerReturn::find() const {
    auto running = find_postmasters(proc_);
    const auto found =
        std::ranges::find_if(running, [this](const Postmaster& postmaster) { return same_data(postmaster); });
    if (found != running.end())
        return *found;
    // Who may not read postmaster.pid still finds the one that never ended.
    TargetSpec same;
    same.pid = postmaster_.pid;
    const auto still = find_target(proc_, same);
    return still && same_data(*still) ? std::optional(*still) : std::nullopt;
}

bool ServerReturn::ready(const Postmaster& postmaster) const {
    if (const auto text = read_text(proc_.path(postmaster.pid, "cwd/postmaster.pid")))
        if (const auto file = parse_postmaster_file(*text); file && !file->ready)
            return false;
    // After a crash the file says nothing of the recovery.
    if (had_checkpointer_ && !child_in_role(proc_, postmaster.pid, "checkpointer"))
        return false;
    return had_startup_ || !child_in_role(proc_, postmaster.pid, "startup");
}

Gap ServerReturn::describe(const Site& site) const {
    Gap gap;
    gap.server_pid = static_cast<std::uint32_t>(site.postmaster.pid);
    gap.server_version = site.server.version;
    const auto binary = ServerBinary::of(proc_, site.postmaster.pid);
    if (site.postmaster.pid == postmaster_.pid) {
        gap.kind = "crash";
        gap.reason =
            fmt::format("the server began anew after a crash of one of its processes (postmaster {})", postmaster_.pid);
    } else if (binary.same_as(binary_)) {
        gap.kind = "restart";
        gap.reason =
            fmt::format("the server was restarted (postmaster {}, then {})", postmaster_.pid, site.postmaster.pid);
    } else {
        gap.kind = "upgrade";
        gap.reason =
            fmt::format("the server was restarted with another binary ({}, then {}; postmaster {}, then {})",
                        or_unknown(binary_.version), or_unknown(binary.version), postmaster_.pid, site.postmaster.pid);
    }
    return gap;
}

} // namespace snapscope
