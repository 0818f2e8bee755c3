#include <snapscope/base/text.hpp>
#include <snapscope/collector/memory_file.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace snapscope {
namespace {

constexpr int needed_seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

Result<snapscope_header> read_checked_header(int fd, std::optional<pid_t> postmaster) {
    const int seals = ::fcntl(fd, F_GET_SEALS);
    if (seals < 0 || (seals & needed_seals) != needed_seals)
        return fail("the server's memory file is not sealed, so it cannot be mapped safely");
    struct stat status {};
    if (::fstat(fd, &status) != 0)
        return fail_errno("cannot examine the server's memory file", errno);
    snapscope_header header{};
    if (::pread(fd, &header, sizeof header, 0) != static_cast<ssize_t>(sizeof header))
        return fail("the server's memory file is malformed: it is shorter than its header");
    SNAPSCOPE_TRY(check_header(header, static_cast<std::uint64_t>(status.st_size)));
    if (postmaster && static_cast<pid_t>(header.postmaster_pid) != *postmaster)
        return fail("the server's memory file belongs to the postmaster with pid " +
                    std::to_string(header.postmaster_pid));
    return header;
}

} // namespace

std::optional<pid_t> find_lock_holder(std::string_view locks, std::uint64_t inode) {
    const std::string file = ":" + std::to_string(inode);
    std::istringstream lines{std::string(locks)};
    for (std::string line; std::getline(lines, line);) {
        // 3: FLOCK  ADVISORY  WRITE 4242 00:01:12345 0 EOF
        std::istringstream words(line);
        std::string number, type, strictness, mode, pid, place;
        if (words >> number >> type >> strictness >> mode >> pid >> place && type == "FLOCK" && place.ends_with(file))
            return parse_integer<pid_t>(pid);
    }
    return std::nullopt;
}

Result<MemoryFile> MemoryFile::open(const ProcFs& proc, pid_t postmaster) {
    const std::string link = std::string("/memfd:") + SNAPSCOPE_MEMFD_NAME + " (deleted)";
    // Whoever may not follow this link may not follow those of the descriptors.
    if (!proc.link(postmaster, "exe"))
        return fail(Error{ErrorClass::unavailable,
                          "no right to look at the descriptors of pid " + std::to_string(postmaster),
                          "run as the server's user or with CAP_SYS_PTRACE"});
    for (const int number : proc.descriptors(postmaster)) {
        const std::string name = "fd/" + std::to_string(number);
        if (proc.link(postmaster, name) != link)
            continue;
        MemoryFile file;
        file.fd_.reset(::open(proc.path(postmaster, name).c_str(), O_RDWR | O_CLOEXEC));
        if (!file.fd_)
            return fail_errno("cannot open the server's memory file", errno,
                              "run as the server's user or with CAP_SYS_PTRACE and CAP_DAC_OVERRIDE");
        auto header = read_checked_header(file.fd_.get(), proc.namespace_pid(postmaster));
        if (!header)
            return fail(header.error());
        file.header_ = *header;
        auto mapping = Mapping::shared(file.fd_.get(), 0, header->total_bytes, false, "the server's memory file");
        if (!mapping)
            return fail(mapping.error());
        file.file_ = std::move(*mapping);
        return file;
    }
    return fail(Error{ErrorClass::unavailable, "the server keeps no snapshot counters",
                      "they come with the patched server, see patched-pg/"});
}

Status MemoryFile::become_consumer() {
    if (::flock(fd_.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK)
            return fail_errno("cannot lock the server's memory file", errno);
        const auto* seen = reinterpret_cast<const snapscope_control*>(file_.data() + header_.consumer_offset);
        const auto pid = __atomic_load_n(&seen->consumer_pid, __ATOMIC_RELAXED);
        return fail("another collector records this server" + (pid != 0 ? " (pid " + std::to_string(pid) + ")" : ""),
                    "wait for it or end it");
    }
    auto mapping = Mapping::shared(fd_.get(), header_.consumer_offset,
                                   header_.counters_offset - header_.consumer_offset, true, "the consumer region");
    if (!mapping)
        return fail(mapping.error());
    consumer_ = std::move(*mapping);
    __atomic_store_n(&control()->consumer_pid, static_cast<std::uint32_t>(::getpid()), __ATOMIC_RELAXED);
    return {};
}

std::optional<pid_t> MemoryFile::holder() const {
    struct stat status {};
    if (::fstat(fd_.get(), &status) != 0)
        return std::nullopt;
    return find_lock_holder(read_text("/proc/locks").value_or(""), status.st_ino);
}

std::uint32_t MemoryFile::incarnation() const {
    const auto* live = reinterpret_cast<const snapscope_header*>(file_.data());
    return __atomic_load_n(&live->incarnation, __ATOMIC_RELAXED);
}

const snapscope_counters* MemoryFile::counters(std::uint32_t slot) const {
    return reinterpret_cast<const snapscope_counters*>(file_.data() + header_.counters_offset) + slot;
}

const snapscope_head* MemoryFile::head(std::uint32_t slot) const {
    return reinterpret_cast<const snapscope_head*>(file_.data() + header_.rings_offset +
                                                   std::uint64_t{slot} * header_.ring_stride);
}

const snapscope_record* MemoryFile::records(std::uint32_t slot) const {
    return reinterpret_cast<const snapscope_record*>(head(slot) + 1);
}

bool MemoryFile::ring_was_written(std::uint32_t slot) const {
    const auto offset = static_cast<off_t>(header_.rings_offset + std::uint64_t{slot} * header_.ring_stride);
    return ::lseek(fd_.get(), offset, SEEK_DATA) == offset;
}

snapscope_control* MemoryFile::control() const {
    return reinterpret_cast<snapscope_control*>(consumer_.data());
}

snapscope_tail* MemoryFile::tail(std::uint32_t slot) const {
    return reinterpret_cast<snapscope_tail*>(consumer_.data() + (header_.tails_offset - header_.consumer_offset)) +
           slot;
}

snapscope_counters load_counters(const snapscope_counters* source) {
    snapscope_counters copy{};
    const auto* from = reinterpret_cast<const std::uint64_t*>(source);
    std::uint64_t words[sizeof copy / sizeof(std::uint64_t)];
    for (std::size_t i = 0; i < std::size(words); ++i)
        words[i] = __atomic_load_n(from + i, __ATOMIC_RELAXED);
    std::memcpy(&copy, words, sizeof copy);
    return copy;
}

} // namespace snapscope
