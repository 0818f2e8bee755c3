#include "stream_pipe.hpp"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace snapscope::emulator {
namespace {

constexpr std::size_t buffered_records = 16384;
constexpr int pipe_bytes = 1 << 20;

} // namespace

StreamPipe::StreamPipe(UniqueFd fd) : fd_(std::move(fd)), buffer_(buffered_records) {}

Result<StreamPipe> StreamPipe::create(const std::filesystem::path& path) {
    if (::mkfifo(path.c_str(), 0600) != 0)
        return fail_errno("cannot make " + path.string(), errno);
    UniqueFd fd(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot read " + path.string(), errno);
    (void)::fcntl(fd.get(), F_SETPIPE_SZ, pipe_bytes); // a smaller one only makes more turns
    return StreamPipe(std::move(fd));
}

Result<std::span<const snapscope_stream_record>> StreamPipe::read() {
    char* const bytes = reinterpret_cast<char*>(buffer_.data());
    std::memmove(bytes, bytes + given_, bytes_ - given_);
    bytes_ -= given_;
    const ssize_t got = ::read(fd_.get(), bytes + bytes_, buffer_.size() * sizeof(snapscope_stream_record) - bytes_);
    if (got < 0 && errno != EAGAIN && errno != EINTR)
        return fail_errno("cannot read the plug-in's stream", errno);
    bytes_ += got > 0 ? static_cast<std::size_t>(got) : 0;
    const std::size_t whole = bytes_ / sizeof(snapscope_stream_record);
    given_ = whole * sizeof(snapscope_stream_record);
    return std::span<const snapscope_stream_record>(buffer_.data(), whole);
}

} // namespace snapscope::emulator
