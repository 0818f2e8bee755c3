#include "sheltered.hpp"

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <memory>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace snapscope {
namespace {

constexpr std::size_t stack_bytes = std::size_t{1} << 20U;
constexpr unsigned int longest_s = 60;

struct Unmap {
    void operator()(void* stack) const { ::munmap(stack, stack_bytes); }
};

int enter(void* work) {
    ::setpgid(0, 0); // nor does one at this process's group
    ::alarm(longest_s);
    (*static_cast<const std::function<void()>*>(work))();
    ::_exit(0);
}

} // namespace

Status run_sheltered(const std::function<void()>& work) {
    void* memory = ::mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
        return fail_errno("no memory for a process that sets probes", errno);
    const std::unique_ptr<void, Unmap> stack(memory);
    auto* top = static_cast<std::byte*>(memory) + stack_bytes;
    const pid_t other =
        ::clone(enter, top, CLONE_VM | CLONE_FILES | CLONE_VFORK | SIGCHLD,
                const_cast<std::function<void()>*>(&work)); // NOLINT(cppcoreguidelines-pro-type-const-cast)
    if (other < 0)
        return fail_errno("cannot start a process that sets probes", errno);
    int status = 0;
    while (::waitpid(other, &status, 0) < 0)
        if (errno != EINTR)
            return fail_errno("cannot wait for the process that sets probes", errno);
    return status == 0 ? Status() : fail("the process that sets probes did not end well");
}

} // namespace snapscope
