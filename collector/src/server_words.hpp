// The words of a running server's shared memory that a snapshot reads and that
// transactions write, by their addresses in its processes, which all of them
// share.  Filled from a patched server's memory file, or on an unpatched one
// from what the mirror has found and checked (mirror/anatomy.hpp).
#pragma once

#include "mirror/layout.hpp"

#include <snapscope/base/result.hpp>
#include <snapscope/collector/procfs.hpp>
#include <snapscope/probes/abi.h>

#include <optional>

namespace snapscope {

// Entry I lies at base + I * stride.
struct WordArray {
    std::uint64_t base = 0;
    std::uint64_t stride = 0;
    std::uint32_t count = 0;
    [[nodiscard]] std::uint64_t at(std::uint32_t entry) const { return base + entry * stride; }
};

// Where a process of the server keeps the number of its slot: in its own variable
// at `address`, or at `offset` of what its pointer at `pointer` points to.
struct SlotNumber {
    std::uint64_t address = 0;
    std::uint64_t pointer = 0;
    std::uint32_t offset = 0;
};

struct ServerWords {
    std::uint32_t slots = 0; // PGPROC entries of processes
    WordArray xid;           // what scans read: PGXACT.xid by slot; from 14 on the dense array, by array_offset
    WordArray xmin;          // by slot
    std::optional<WordArray> array_offset; // by slot: which entry of xid is its own now
    std::uint64_t lock_state = 0;          // ProcArrayLock's
    SlotNumber number;
};

[[nodiscard]] ServerWords patched_words(const snapscope_header& header);

struct StockWords {
    ServerWords words;
    mirror::Layout layout;
};
// Runs the mirror's checks on the live server, and confirms that each process that
// has a slot finds itself at its number's place.  Contradicted, unknown or
// unreadable: class unavailable, with what was found.
[[nodiscard]] Result<StockWords> stock_words(const ProcFs& proc, pid_t postmaster);

// The slot of the server's process PID; nullopt when it has none, or has ended.
[[nodiscard]] std::optional<std::uint32_t> slot_of(const ServerWords& words, pid_t pid);

} // namespace snapscope
