#include "remote_memory.hpp"

#include <algorithm>
#include <cerrno>
#include <climits>
#include <fmt/format.h>
#include <sys/uio.h>
#include <system_error>
#include <vector>

namespace snapscope::mirror {
namespace {

tl::unexpected<Error> cannot_read(pid_t pid, int error) {
    if (error == EPERM)
        return fail(Error{ErrorClass::unavailable, fmt::format("no right to read the memory of pid {}", pid),
                          "run as the server's user or with CAP_SYS_PTRACE"});
    return fail(Error{ErrorClass::unavailable,
                      fmt::format("cannot read the memory of pid {}: {}", pid, std::generic_category().message(error)),
                      error == ESRCH ? "the server has ended" : ""});
}

} // namespace

Status RemoteMemory::read(std::span<const Piece> pieces) const {
    std::vector<iovec> here;
    std::vector<iovec> there;
    while (!pieces.empty()) {
        const auto batch = pieces.first(std::min<std::size_t>(pieces.size(), IOV_MAX));
        pieces = pieces.subspan(batch.size());
        here.clear();
        there.clear();
        std::size_t wanted = 0;
        for (const auto& piece : batch) {
            here.push_back({piece.to.data(), piece.to.size()});
            // An address of the other process; it is never dereferenced here.
            there.push_back(
                {reinterpret_cast<void*>(piece.from), piece.to.size()}); // NOLINT(performance-no-int-to-ptr)
            wanted += piece.to.size();
        }
        const ssize_t got = ::process_vm_readv(pid_, here.data(), here.size(), there.data(), there.size(), 0);
        if (got < 0)
            return cannot_read(pid_, errno);
        if (static_cast<std::size_t>(got) != wanted)
            return fail(
                Error{ErrorClass::unavailable,
                      fmt::format("only {} of {} bytes of the memory of pid {} could be read", got, wanted, pid_), ""});
    }
    return {};
}

} // namespace snapscope::mirror
