#include "server_watch.hpp"

#include <snapscope/collector/target.hpp>

#include <algorithm>
#include <fcntl.h>
#include <sys/syscall.h>

namespace snapscope {
namespace {

// A crash ends the sessions of a load before it ends the checkpointer.
constexpr int crash_takes_ms = 200;

// Among the oldest: the postmaster starts them before it takes sessions.
constexpr std::size_t most_auxiliary = 64;

UniqueFd open_process(pid_t pid) {
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

} // namespace

std::optional<pid_t> child_in_role(const ProcFs& proc, pid_t postmaster, std::string_view role) {
    auto oldest = proc.listed_children(postmaster);
    oldest.resize(std::min(oldest.size(), most_auxiliary));
    for (const pid_t child : oldest) {
        // "postgres: checkpointer", with cluster_name "postgres: NAME: checkpointer"
        const auto title = proc.cmdline(child);
        if (!title.empty() && title.front().starts_with("postgres: ") &&
            title.front().find(": " + std::string(role)) != std::string::npos)
            return child;
    }
    return std::nullopt;
}

Result<ServerWatch> ServerWatch::start(const ProcFs& proc, pid_t postmaster) {
    ServerWatch watch;
    watch.pid_ = postmaster;
    watch.process_ = open_process(postmaster);
    if (const auto checkpointer = child_in_role(proc, postmaster, "checkpointer"))
        watch.checkpointer_ = open_process(*checkpointer);
    watch.folder_.reset(::open(proc.path(postmaster, "cwd").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (struct stat folder{}; watch.folder_ && ::fstat(watch.folder_.get(), &folder) == 0)
        watch.folder_status_ = folder;
    if (watch.ended())
        return fail(server_has_ended(postmaster));
    return watch;
}

std::array<pollfd, 2> ServerWatch::watched() const {
    return {{{process_.get(), POLLIN, 0}, {checkpointer_ ? checkpointer_.get() : -1, POLLIN, 0}}};
}

bool ServerWatch::ended_within(const UniqueFd& process, int limit_ms) {
    pollfd state{process.get(), POLLIN, 0};
    return !process || ::poll(&state, 1, limit_ms) > 0;
}

bool ServerWatch::gone_within(int limit_ms) const {
    auto either = watched();
    return ended() || ::poll(either.data(), either.size(), limit_ms) > 0;
}

std::optional<std::string> ServerWatch::postmaster_file() const {
    return read_text("/proc/self/fd/" + std::to_string(folder_.get()) + "/postmaster.pid");
}

bool ServerWatch::ending() const {
    const auto text = postmaster_file();
    if (!text) // it goes shortly before the process does
        return ended_within(process_, crash_takes_ms);
    const auto file = parse_postmaster_file(*text);
    return (file && file->stopping) || gone_within(crash_takes_ms);
}

} // namespace snapscope
