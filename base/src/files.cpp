#include <snapscope/base/files.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

namespace snapscope {
namespace {

constexpr std::size_t read_step_bytes = std::size_t{64} * 1024;

std::string quoted(std::string_view verb, const std::filesystem::path& path) {
    return fmt::format("cannot {} {}", verb, path.string());
}

std::filesystem::path parent_of(const std::filesystem::path& path) {
    auto parent = path.parent_path();
    return parent.empty() ? std::filesystem::path(".") : parent;
}

// Removes the temporary file unless it has been renamed into place.
class TemporaryFile {
  public:
    explicit TemporaryFile(std::string name) : name_(std::move(name)) {}
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;
    TemporaryFile(TemporaryFile&&) = delete;
    TemporaryFile& operator=(TemporaryFile&&) = delete;
    ~TemporaryFile() {
        if (!name_.empty())
            ::unlink(name_.c_str());
    }
    [[nodiscard]] const std::string& name() const { return name_; }
    void keep() { name_.clear(); }

  private:
    std::string name_;
};

} // namespace

Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes) {
    // O_NONBLOCK: opening a fifo must fail below, not wait for a writer.
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (!fd)
        return fail_errno(quoted("open", path), errno);
    struct stat status {};
    if (::fstat(fd.get(), &status) != 0)
        return fail_errno(quoted("stat", path), errno);
    if (!S_ISREG(status.st_mode))
        return fail(quoted("read", path) + ": not a regular file");

    // The stated size is only a first guess: procfs says 0, and files grow.
    const auto guess = static_cast<std::size_t>(status.st_size);
    std::string bytes;
    bytes.resize(std::min(guess, max_bytes) + 1);
    std::size_t used = 0;
    for (;;) {
        if (used == bytes.size())
            bytes.resize(used + read_step_bytes);
        const ssize_t got = ::read(fd.get(), bytes.data() + used, bytes.size() - used);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fail_errno(quoted("read", path), errno);
        if (got == 0)
            break;
        used += static_cast<std::size_t>(got);
        if (used > max_bytes)
            return fail(fmt::format("{}: longer than {} bytes", quoted("read", path), max_bytes));
    }
    bytes.resize(used);
    return bytes;
}

Status write_all(int fd, std::string_view bytes, const std::filesystem::path& path) {
    while (!bytes.empty()) {
        const ssize_t written = ::write(fd, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail_errno(quoted("write", path), errno);
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
    return {};
}

Result<UniqueFd> create_private_file(const std::filesystem::path& path) {
    UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!fd)
        return fail_errno(quoted("create", path), errno);
    if (::fchmod(fd.get(), 0600) != 0)
        return fail_errno(quoted("set the mode of", path), errno);
    return fd;
}

Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes) {
    std::string name = path.string() + ".XXXXXX";
    UniqueFd fd(::mkostemp(name.data(), O_CLOEXEC)); // mkostemp makes it 0600
    if (!fd)
        return fail_errno(quoted("create a temporary file for", path), errno);
    TemporaryFile temporary(name);
    if (::fchmod(fd.get(), 0600) != 0)
        return fail_errno(quoted("set the mode of", path), errno);
    SNAPSCOPE_TRY(write_all(fd.get(), bytes, path));
    if (::fsync(fd.get()) != 0)
        return fail_errno(quoted("sync", path), errno);
    // Some file systems report a full disk only here.
    if (::close(fd.release()) != 0)
        return fail_errno(quoted("close", path), errno);
    if (::rename(name.c_str(), path.c_str()) != 0)
        return fail_errno(quoted("replace", path), errno);
    temporary.keep();
    return sync_folder(parent_of(path));
}

Status create_private_folder(const std::filesystem::path& path) {
    if (::mkdir(path.c_str(), 0700) != 0)
        return fail_errno(quoted("create the folder", path), errno);
    if (::chmod(path.c_str(), 0700) != 0)
        return fail_errno(quoted("set the mode of", path), errno);
    return {};
}

Status sync_folder(const std::filesystem::path& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (!fd)
        return fail_errno(quoted("open the folder", path), errno);
    // EINVAL: a file system that has nothing to sync for folders.
    if (::fsync(fd.get()) != 0 && errno != EINVAL)
        return fail_errno(quoted("sync the folder", path), errno);
    return {};
}

} // namespace snapscope
