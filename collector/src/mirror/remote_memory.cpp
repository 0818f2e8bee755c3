#include "remote_memory.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fmt/format.h>
#include <sys/uio.h>
#include <system_error>

namespace snapscope::mirror {
namespace {

constexpr std::size_t most_at_once = 64; // pieces of one call

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
    std::array<iovec, most_at_once> here;  // NOLINT(cppcoreguidelines-pro-type-member-init): filled as far as used
    std::array<iovec, most_at_once> there; // NOLINT(cppcoreguidelines-pro-type-member-init)
    while (!pieces.empty()) {
        const auto batch = pieces.first(std::min(pieces.size(), most_at_once));
        pieces = pieces.subspan(batch.size());
        std::size_t wanted = 0;
        for (std::size_t i = 0; i < batch.size(); ++i) {
            const auto& piece = batch[i];
            here[i] = {piece.to.data(), piece.to.size()};
            // An address of the other process; it is never dereferenced here.
            there[i] = {reinterpret_cast<void*>(piece.from), piece.to.size()}; // NOLINT(performance-no-int-to-ptr)
            wanted += piece.to.size();
        }
        const ssize_t got = ::process_vm_readv(pid_, here.data(), batch.size(), there.data(), batch.size(), 0);
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
