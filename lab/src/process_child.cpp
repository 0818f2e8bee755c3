#include "process_child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/close_range.h>
#include <string_view>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ; // NOLINT(readability-redundant-declaration)

namespace snapscope::child {
namespace {

enum class Step : int { account, folder, output, exec };

struct Failure {
    Step step = Step::exec;
    int error = 0;
};

// Everything that the child needs, made before the fork.
struct Prepared {
    std::string program;
    std::vector<char*> argv;
    std::vector<std::string> variables;
    std::vector<char*> environment;
};

Result<std::string> find_program(const std::string& name) {
    if (name.find('/') != std::string::npos)
        return name;
    const char* path = std::getenv("PATH");
    std::string_view rest = path != nullptr ? path : "/usr/bin:/bin";
    while (!rest.empty()) {
        const auto folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        auto candidate = fmt::format("{}/{}", folder.empty() ? "." : folder, name);
        if (::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return fail(fmt::format("there is no program '{}' in PATH", name));
}

Result<Prepared> prepare(const Command& command) {
    Prepared out;
    auto program = find_program(command.argv[0]);
    if (!program)
        return fail(program.error());
    out.program = std::move(*program);
    for (const auto& word : command.argv)
        out.argv.push_back(const_cast<char*>(word.c_str())); // execve's signature; it changes nothing
    out.argv.push_back(nullptr);

    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        bool replaced = false;
        for (const auto& [name, value] : command.environment)
            replaced = replaced || (text.starts_with(name) && text.substr(name.size()).starts_with('='));
        if (!replaced)
            out.variables.emplace_back(text);
    }
    for (const auto& [name, value] : command.environment)
        out.variables.push_back(fmt::format("{}={}", name, value));
    for (auto& variable : out.variables)
        out.environment.push_back(variable.data());
    out.environment.push_back(nullptr);
    return out;
}

[[noreturn]] void give_up(int report, Step step) {
    const Failure failure{step, errno};
    (void)!::write(report, &failure, sizeof failure);
    ::_exit(127);
}

// Plain system calls: the library's versions would talk to this program's other threads.
bool change_account(const Account& account) {
    return ::syscall(SYS_setgroups, 0, nullptr) == 0 &&
           ::syscall(SYS_setresgid, account.gid, account.gid, account.gid) == 0 &&
           ::syscall(SYS_setresuid, account.uid, account.uid, account.uid) == 0;
}

[[noreturn]] void run(const Command& command, const Prepared& prepared, int output, int errors, int report,
                      pid_t parent) {
    ::setpgid(0, 0);
    for (int signal = 1; signal < NSIG; ++signal)
        ::signal(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    if (command.account && !change_account(*command.account))
        give_up(report, Step::account);
    // After the change of account, which clears it.
    if (command.death_signal != 0) {
        ::prctl(PR_SET_PDEATHSIG, command.death_signal);
        if (::getppid() != parent)
            ::_exit(127); // it ended before the line above
    }
    if (!command.folder.empty() && ::chdir(command.folder.c_str()) != 0)
        give_up(report, Step::folder);
    if (output >= 0) {
        const int input = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        if (input < 0 || ::dup2(input, 0) < 0 || ::dup2(output, 1) < 0 || ::dup2(errors, 2) < 0)
            give_up(report, Step::output);
    }
    ::syscall(SYS_close_range, 3U, ~0U, static_cast<unsigned>(CLOSE_RANGE_CLOEXEC));
    ::execve(prepared.program.c_str(), prepared.argv.data(), prepared.environment.data());
    give_up(report, Step::exec);
}

tl::unexpected<Error> explain(const Command& command, const Failure& failure) {
    switch (failure.step) {
    case Step::account:
        return fail_errno("cannot change to the account " + (command.account ? command.account->name : ""),
                          failure.error);
    case Step::folder:
        return fail_errno("cannot run in " + command.folder.string(), failure.error);
    case Step::output:
        return fail_errno("cannot redirect the output of " + command.argv[0], failure.error);
    case Step::exec:
        break;
    }
    return fail_errno("cannot run " + command.argv[0], failure.error);
}

} // namespace

Result<pid_t> launch(const Command& command, int output, int errors) {
    const auto prepared = prepare(command);
    if (!prepared)
        return fail(prepared.error());
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        return fail_errno("cannot start " + command.argv[0], errno);
    UniqueFd reader(ends[0]);
    UniqueFd writer(ends[1]);

    const pid_t parent = ::getpid();
    const pid_t pid = ::fork();
    if (pid < 0)
        return fail_errno("cannot start " + command.argv[0], errno);
    if (pid == 0)
        run(command, *prepared, output, errors, writer.get(), parent);

    // Closed by a successful exec; otherwise it brings the failure.
    writer.reset();
    Failure failure;
    ssize_t got = 0;
    do
        got = ::read(reader.get(), &failure, sizeof failure);
    while (got < 0 && errno == EINTR);
    if (got != static_cast<ssize_t>(sizeof failure))
        return pid;
    ::waitpid(pid, nullptr, 0);
    return explain(command, failure);
}

} // namespace snapscope::child
