#include <snapscope/base/child_process.hpp>

#include <cerrno>
#include <csignal>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char** environ; // NOLINT(readability-redundant-declaration)

namespace snapscope {
namespace {

constexpr int grace_ms = 1000;

struct SpawnAttributes {
    SpawnAttributes() {
        posix_spawnattr_init(&value);
        sigset_t all;
        sigfillset(&all);
        sigset_t none;
        sigemptyset(&none);
        posix_spawnattr_setsigdefault(&value, &all);
        posix_spawnattr_setsigmask(&value, &none);
        posix_spawnattr_setflags(&value, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    }
    SpawnAttributes(const SpawnAttributes&) = delete;
    SpawnAttributes& operator=(const SpawnAttributes&) = delete;
    SpawnAttributes(SpawnAttributes&&) = delete;
    SpawnAttributes& operator=(SpawnAttributes&&) = delete;
    ~SpawnAttributes() { posix_spawnattr_destroy(&value); }
    posix_spawnattr_t value{};
};

} // namespace

Result<ChildProcess> ChildProcess::spawn(const std::vector<std::string>& arguments) {
    if (arguments.empty())
        return fail("no command to run", "give one after --", ErrorClass::usage);
    std::vector<char*> argv;
    for (const auto& argument : arguments)
        argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    const SpawnAttributes attributes;
    ChildProcess child;
    if (const int error = ::posix_spawnp(&child.pid_, argv[0], nullptr, &attributes.value, argv.data(), environ);
        error != 0) {
        child.pid_ = -1;
        return fail_errno("cannot run " + arguments[0], error);
    }
    child.pidfd_.reset(static_cast<int>(::syscall(SYS_pidfd_open, child.pid_, 0)));
    if (!child.pidfd_)
        return fail_errno("cannot watch the child " + arguments[0], errno);
    return child;
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pidfd_(std::move(other.pidfd_)), status_(other.status_) {}

ChildProcess& ChildProcess::operator=(ChildProcess&& other) noexcept {
    if (this != &other) {
        terminate();
        pid_ = std::exchange(other.pid_, -1);
        pidfd_ = std::move(other.pidfd_);
        status_ = other.status_;
    }
    return *this;
}

ChildProcess::~ChildProcess() { terminate(); }

std::optional<int> ChildProcess::try_wait() {
    int status = 0;
    if (!status_ && pid_ > 0 && ::waitpid(pid_, &status, WNOHANG) == pid_)
        status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    return status_;
}

int ChildProcess::terminate() noexcept {
    if (pid_ <= 0)
        return 0;
    if (!try_wait()) {
        ::kill(pid_, SIGTERM);
        pollfd ended{pidfd_.get(), POLLIN, 0};
        if (!pidfd_ || ::poll(&ended, 1, grace_ms) <= 0)
            ::kill(pid_, SIGKILL);
        int status = 0;
        if (::waitpid(pid_, &status, 0) == pid_)
            status_ = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
    }
    return status_.value_or(0);
}

} // namespace snapscope
