#include <snapscope/base/mapping.hpp>

#include <cerrno>
#include <sys/mman.h>

namespace snapscope {

Result<Mapping> Mapping::shared(int fd, std::size_t offset, std::size_t bytes, bool writable, const std::string& what) {
    const int protection = writable ? PROT_READ | PROT_WRITE : PROT_READ;
    void* address = ::mmap(nullptr, bytes, protection, MAP_SHARED, fd, static_cast<off_t>(offset));
    if (address == MAP_FAILED)
        return fail_errno("cannot map " + what, errno);
    Mapping mapping;
    mapping.address_ = address;
    mapping.bytes_ = bytes;
    return mapping;
}

void Mapping::reset() noexcept {
    if (address_ != nullptr)
        ::munmap(address_, bytes_);
    address_ = nullptr;
    bytes_ = 0;
}

} // namespace snapscope
