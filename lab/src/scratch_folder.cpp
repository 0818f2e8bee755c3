#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr std::string_view folder_prefix = "snapscope-lab-";
constexpr auto server_grace = 8s; // a postmaster gives its backends five before it kills them

fs::path temporary_root() {
    const char* root = std::getenv("TMPDIR");
    return root != nullptr && *root != '\0' ? fs::path(root) : fs::path("/tmp");
}

// The postmaster whose data folder is `data`, by a descriptor that stays its own.
UniqueFd running_server(const fs::path& data) {
    const auto text = read_file(data / "postmaster.pid", 4096);
    if (!text)
        return {};
    const auto pid = parse_integer<pid_t>(trim(std::string_view(*text).substr(0, text->find('\n'))));
    if (!pid || *pid <= 1)
        return {};
    UniqueFd server(static_cast<int>(::syscall(SYS_pidfd_open, *pid, 0)));
    std::error_code error;
    const auto where = fs::read_symlink(fmt::format("/proc/{}/cwd", *pid), error);
    if (!server || error || where != fs::canonical(data, error))
        return {}; // gone, or the number is somebody else's by now
    return server;
}

void end_server(const fs::path& data) {
    const auto server = running_server(data);
    if (!server)
        return;
    ::syscall(SYS_pidfd_send_signal, server.get(), SIGQUIT, nullptr, 0);
    const auto deadline = std::chrono::steady_clock::now() + server_grace;
    while (::syscall(SYS_pidfd_send_signal, server.get(), 0, nullptr, 0) == 0 &&
           std::chrono::steady_clock::now() < deadline)
        std::this_thread::sleep_for(20ms);
}

bool is_ours(const fs::path& path) {
    struct stat status {};
    return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode) && status.st_uid == ::geteuid();
}

UniqueFd open_folder(const fs::path& path) {
    return UniqueFd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
}

} // namespace

Result<ScratchFolder> ScratchFolder::create() {
    // Locked before it has the name that remove_abandoned() looks for.
    const auto root = temporary_root();
    auto pattern = (root / ".snapscope-new-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
        return fail_errno("cannot make a folder in " + root.string(), errno, "TMPDIR names another place");
    ScratchFolder folder;
    folder.path_ = pattern;
    folder.lock_ = open_folder(pattern);
    if (!folder.lock_ || ::flock(folder.lock_.get(), LOCK_EX | LOCK_NB) != 0 || ::fchmod(folder.lock_.get(), 0711) != 0)
        return fail_errno("cannot hold the folder " + pattern, errno);
    const auto name = root / fmt::format("{}{}", folder_prefix, pattern.substr(pattern.size() - 6));
    if (::renameat2(AT_FDCWD, pattern.c_str(), AT_FDCWD, name.c_str(), RENAME_NOREPLACE) != 0)
        return fail_errno("cannot make the folder " + name.string(), errno);
    folder.path_ = name;
    return folder;
}

ScratchFolder::ScratchFolder(ScratchFolder&& other) noexcept
    : path_(std::exchange(other.path_, {})), lock_(std::move(other.lock_)) {}

ScratchFolder& ScratchFolder::operator=(ScratchFolder&& other) noexcept {
    if (this != &other) {
        remove();
        path_ = std::exchange(other.path_, {});
        lock_ = std::move(other.lock_);
    }
    return *this;
}

void ScratchFolder::remove() noexcept {
    if (path_.empty())
        return;
    std::error_code ignored; // nothing left to do about it in a destructor
    fs::remove_all(path_, ignored);
    path_.clear();
    lock_.reset();
}

std::size_t remove_abandoned() {
    std::size_t removed = 0;
    std::error_code error;
    for (fs::directory_iterator entry(temporary_root(), error), end; !error && entry != end; entry.increment(error)) {
        const auto& path = entry->path();
        if (!path.filename().string().starts_with(folder_prefix) || !is_ours(path))
            continue;
        const auto lock = open_folder(path);
        if (!lock || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
            continue; // its owner lives
        end_server(path / "data");
        std::error_code ignored;
        fs::remove_all(path, ignored);
        ++removed;
    }
    return removed;
}

} // namespace snapscope
