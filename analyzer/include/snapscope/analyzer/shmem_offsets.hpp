// Where a PostgreSQL 13 puts its arrays in the main shared memory segment:
// computed as the server does it, allocation by allocation, from its settings.
//
// Sizes are those of 13 on 64-bit Linux with POSIX semaphores (which lie in the
// segment, too) and without preloaded libraries: one that asks for shared memory
// of its own comes behind all this, one that asks for LWLocks moves it.
#pragma once

#include <snapscope/analyzer/proc_arrays.hpp>

namespace snapscope {

// Bytes from the segment's beginning, which is on a page.
struct ShmemOffsets {
    std::uint64_t latest_completed_xid = 0;
    std::uint64_t proc_array_lock = 0;
    std::uint64_t pgproc = 0;
    std::uint64_t pgxact = 0;
    std::uint64_t proc_array = 0; // ProcArrayStruct
    std::uint64_t pgprocnos = 0;
    std::optional<std::uint64_t> snapshot_copy;
};

[[nodiscard]] ShmemOffsets shmem_offsets_13(const ProcSettings& settings);

} // namespace snapscope
