#include "output_file.hpp"

#include "interrupt.hpp"
#include "output.hpp"

#include <snapscope/base/files.hpp>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <linux/fs.h>
#include <sys/stat.h>
#include <unistd.h>

namespace snapscope::cli {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{256} * 1024;

tl::unexpected<Error> cannot_write(const std::filesystem::path& target, int errno_value) {
    return fail_errno("cannot write " + target.string(), errno_value);
}

tl::unexpected<Error> already_there(const std::filesystem::path& target) {
    return fail(target.string() + " exists", "give --force to replace it");
}

} // namespace

OutputFile::OutputFile(OutputFile&& other) noexcept
    : target_(std::move(other.target_)), temporary_(std::exchange(other.temporary_, {})), force_(other.force_),
      standard_output_(other.standard_output_), fd_(std::move(other.fd_)), buffer_(std::move(other.buffer_)) {}

OutputFile::~OutputFile() {
    if (temporary_.empty())
        return;
    ::unlink(temporary_.c_str());
    remove_on_second_interrupt({});
}

Result<OutputFile> OutputFile::create(const std::filesystem::path& target, bool force) {
    OutputFile file;
    file.target_ = target;
    file.force_ = force;
    if (target == "-") {
        file.target_ = "standard output";
        file.standard_output_ = true;
        return file;
    }
    struct stat status {};
    if (::stat(target.c_str(), &status) == 0) {
        if (S_ISDIR(status.st_mode))
            return fail("cannot write " + target.string() + ": it is a folder");
        if (!S_ISREG(status.st_mode)) {
            file.fd_ = UniqueFd(::open(target.c_str(), O_WRONLY | O_CLOEXEC));
            if (!file.fd_)
                return cannot_write(target, errno);
            return file;
        }
        if (!force)
            return already_there(target);
        // A link stays a link; what it points to is replaced.
        std::error_code error;
        const auto resolved = std::filesystem::canonical(target, error);
        if (!error)
            file.target_ = resolved;
    } else if (errno != ENOENT) {
        return cannot_write(target, errno);
    }
    std::string name = file.target_.string() + ".XXXXXX";
    file.fd_ = UniqueFd(::mkostemp(name.data(), O_CLOEXEC)); // 0600
    if (!file.fd_)
        return cannot_write(target, errno);
    file.temporary_ = name;
    remove_on_second_interrupt(file.temporary_);
    return file;
}

Status OutputFile::write(std::string_view bytes) {
    buffer_ += bytes;
    if (buffer_.size() >= buffer_bytes)
        return flush();
    return {};
}

Status OutputFile::flush() {
    const Status status = standard_output_ ? print(buffer_) : write_all(fd_.get(), buffer_, target_);
    buffer_.clear();
    return status;
}

Status OutputFile::commit() {
    SNAPSCOPE_TRY(flush());
    if (temporary_.empty())
        return {};
    if (::fchmod(fd_.get(), 0600) != 0 || ::fsync(fd_.get()) != 0 || ::close(fd_.release()) != 0)
        return cannot_write(target_, errno);
    const unsigned flags = force_ ? 0U : static_cast<unsigned>(RENAME_NOREPLACE);
    int renamed = ::renameat2(AT_FDCWD, temporary_.c_str(), AT_FDCWD, target_.c_str(), flags);
    if (renamed != 0 && errno == EINVAL && !force_) { // a file system without RENAME_NOREPLACE
        renamed = ::link(temporary_.c_str(), target_.c_str());
        if (renamed == 0)
            ::unlink(temporary_.c_str());
    }
    if (renamed != 0)
        return errno == EEXIST ? already_there(target_) : cannot_write(target_, errno);
    temporary_.clear();
    remove_on_second_interrupt({});
    return {};
}

Status write_result(const std::filesystem::path& target, bool force, std::string_view text) {
    if (target.empty())
        return print(text);
    auto file = OutputFile::create(target, force);
    if (!file)
        return fail(file.error());
    SNAPSCOPE_TRY(file->write(text));
    return file->commit();
}

} // namespace snapscope::cli
