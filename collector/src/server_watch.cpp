#include "server_watch.hpp"

#include <snapscope/collector/target.hpp>

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>

namespace snapscope {

Result<ServerWatch> ServerWatch::start(const ProcFs& proc, pid_t postmaster) {
    ServerWatch watch;
    watch.pid_ = postmaster;
    watch.process_.reset(static_cast<int>(::syscall(SYS_pidfd_open, postmaster, 0)));
    watch.folder_.reset(::open(proc.path(postmaster, "cwd").c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (watch.ended())
        return fail(server_has_ended(postmaster));
    return watch;
}

bool ServerWatch::ended_within(int limit_ms) const {
    pollfd state{process_.get(), POLLIN, 0};
    return !process_ || ::poll(&state, 1, limit_ms) > 0;
}

bool ServerWatch::ending() const {
    const auto text = read_text("/proc/self/fd/" + std::to_string(folder_.get()) + "/postmaster.pid");
    if (!text) // it goes shortly before the process does
        return ended_within(200);
    const auto file = parse_postmaster_file(*text);
    return ended() || (file && file->stopping);
}

} // namespace snapscope
