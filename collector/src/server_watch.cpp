#include "server_watch.hpp"

#include <snapscope/collector/target.hpp>

#include <poll.h>
#include <sys/syscall.h>

namespace snapscope {

Result<ServerWatch> ServerWatch::start(const ProcFs& proc, pid_t postmaster) {
    ServerWatch watch(proc, postmaster, UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, postmaster, 0))));
    if (watch.ended())
        return fail(server_has_ended(postmaster));
    return watch;
}

bool ServerWatch::ended_within(int limit_ms) const {
    pollfd state{fd_.get(), POLLIN, 0};
    return !fd_ || ::poll(&state, 1, limit_ms) > 0;
}

bool ServerWatch::ending() const {
    const auto text = read_text(proc_.path(pid_, "cwd/postmaster.pid"));
    if (!text) // it goes shortly before the process does
        return ended_within(200);
    const auto file = parse_postmaster_file(*text);
    return ended() || (file && file->stopping);
}

} // namespace snapscope
