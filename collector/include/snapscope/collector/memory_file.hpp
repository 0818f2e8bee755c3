// A patched server's memory file (probes/abi.h), opened through the
// postmaster's descriptor in procfs.
//
// The whole file is mapped read-only, and the consumer region once more
// writable; only the holder of the exclusive lock gets that one.  Reading a
// hole of the file would make the kernel fill it with a page, so readers touch
// a ring only once its owner has written to it.
#pragma once

#include <snapscope/base/mapping.hpp>
#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/header.hpp>
#include <snapscope/collector/procfs.hpp>

#include <optional>

namespace snapscope {

class MemoryFile {
  public:
    // Class unavailable: the server has no such file.  Class failed: it has one
    // that is malformed or not sealed, or it cannot be opened.
    static Result<MemoryFile> open(const ProcFs& proc, pid_t postmaster);

    // Takes the lock that makes this process the one consumer; it is held
    // until the object goes.  Fails with the holder's pid.
    Status become_consumer();

    // The process that holds the lock now, by the kernel's list; looks without touching it.
    [[nodiscard]] std::optional<pid_t> holder() const;

    // As it was when checked: sizes and offsets never change under a reader.
    [[nodiscard]] const snapscope_header& header() const { return header_; }
    [[nodiscard]] std::uint32_t incarnation() const;
    [[nodiscard]] const snapscope_counters* counters(std::uint32_t slot) const;
    [[nodiscard]] const snapscope_head* head(std::uint32_t slot) const;
    [[nodiscard]] const snapscope_record* records(std::uint32_t slot) const;
    // False while the first page of a ring is still a hole, so that its head is 0.
    [[nodiscard]] bool ring_was_written(std::uint32_t slot) const;
    // Only after become_consumer().
    [[nodiscard]] snapscope_control* control() const;
    [[nodiscard]] snapscope_tail* tail(std::uint32_t slot) const;

  private:
    UniqueFd fd_;
    snapscope_header header_{};
    Mapping file_;
    Mapping consumer_;
};

// Who holds a flock() on the file INODE, in the text of /proc/locks.
[[nodiscard]] std::optional<pid_t> find_lock_holder(std::string_view locks, std::uint64_t inode);

// One slot's counters, word by word: each is whole, together they may be one event apart.
[[nodiscard]] snapscope_counters load_counters(const snapscope_counters* source);

} // namespace snapscope
