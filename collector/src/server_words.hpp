// The words of a running server's shared memory that a snapshot reads and that
// transactions write, by their addresses in its processes, which all of them
// share.  Filled from a patched server's memory file, or on an unpatched one
// from exported symbols and a table of offsets that is confirmed first.
#pragma once

#include "elf_symbols.hpp"
#include "stock_layout.hpp"

#include <snapscope/base/result.hpp>
#include <snapscope/collector/procfs.hpp>
#include <snapscope/probes/abi.h>

#include <cstddef>
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

// BYTES of PID at ADDRESS into INTO.
[[nodiscard]] Status read_memory(pid_t pid, std::uint64_t address, void* into, std::size_t bytes);

[[nodiscard]] ServerWords patched_words(const snapscope_header& header);

// The symbols that stock_words() wants.
[[nodiscard]] const std::vector<std::string>& word_symbols();

// Confirms LAYOUT on the live server: every process that has a slot finds itself
// at its number's place in the array, and the lock carries the tranche that is
// expected.  Contradicted or unreadable: class unavailable, with what was found.
[[nodiscard]] Result<ServerWords> stock_words(const ProcFs& proc, pid_t postmaster, const ElfSymbols& symbols,
                                              const StockLayout& layout);

// The slot of the server's process PID; nullopt when it has none, or has ended.
[[nodiscard]] std::optional<std::uint32_t> slot_of(const ServerWords& words, pid_t pid);

} // namespace snapscope
