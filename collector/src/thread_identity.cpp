#include "thread_identity.hpp"

#include <array>
#include <pwd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace snapscope {
namespace {

constexpr long unchanged = -1;

} // namespace

ThreadIdentity::ThreadIdentity(std::optional<uid_t> user) {
    const uid_t self = ::geteuid();
    if (!user || *user == self || self != 0)
        return;
    ::prctl(PR_GET_PDEATHSIG, &death_signal_);
    passwd entry{};
    passwd* found = nullptr;
    std::array<char, 4096> buffer{};
    if (::getpwuid_r(*user, &entry, buffer.data(), buffer.size(), &found) == 0 && found != nullptr) {
        const gid_t group = ::getegid();
        if (::syscall(SYS_setresgid, unchanged, found->pw_gid, unchanged) == 0)
            old_group_ = group;
    }
    if (::syscall(SYS_setresuid, unchanged, *user, unchanged) == 0)
        old_user_ = self;
}

ThreadIdentity::~ThreadIdentity() {
    if (old_user_)
        ::syscall(SYS_setresuid, unchanged, *old_user_, unchanged);
    if (old_group_)
        ::syscall(SYS_setresgid, unchanged, *old_group_, unchanged);
    if (death_signal_ != 0)
        ::prctl(PR_SET_PDEATHSIG, death_signal_);
}

} // namespace snapscope
