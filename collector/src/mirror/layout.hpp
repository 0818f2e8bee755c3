// Where the fields that the mirror reads lie in the server's structures, in
// bytes.  A table by major version gives them (x86-64 Linux; measured, or
// offsetof over the version's headers), debug information does where there is
// any (dwarf_layout.hpp); both are believed only after the checks of anatomy.hpp.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace snapscope::mirror {

using Offset = std::uint32_t;

struct Layout {
    int major = 0;
    std::uint32_t auxiliary_procs = 0; // entries of allProcs that are never in the roster

    // PROC_HDR
    Offset proc_hdr_bytes = 0, all_procs = 0, all_proc_count = 0;
    std::optional<Offset> all_pgxact;         // 13
    std::optional<Offset> xids, status_flags; // 14+: pointers to the dense arrays
    std::optional<Offset> subxid_states;      // 14+

    // PGPROC
    Offset pgproc_bytes = 0, procgloballist = 0, pid = 0, database = 0, role = 0;
    Offset my_proc_locks = 0, wait_event_info = 0, lxid = 0;
    std::optional<Offset> pgprocno;                         // 13 to 16
    std::optional<Offset> proc_xid, proc_xmin, pgxactoff;   // 14+
    std::optional<Offset> proc_status_flags, subxid_status; // 14+

    // PGXACT, 13
    std::optional<Offset> pgxact_bytes, pgxact_xid, pgxact_xmin, pgxact_flags, pgxact_overflowed, pgxact_subxids;

    // VariableCacheData (13 to 16), TransamVariablesData (17+)
    Offset next_xid = 0, oldest_xid = 0, xid_wrap_limit = 0, latest_completed_xid = 0;
    std::optional<Offset> completion_count; // 14+
    std::optional<Offset> variables_bytes;  // 17+: stands in the index of shared memory

    std::optional<Offset> snapshot_completion_count; // 14+: of SnapshotData, in a process's own memory

    // ProcArrayStruct
    Offset roster = 0; // pgprocnos[]

    // LWLock: of the array of all locks
    std::uint32_t exclusive_bit = 0, shared_mask = 0;
};

inline constexpr std::uint32_t lock_stride = 128, lock_tranche = 0, lock_state = 4;
inline constexpr std::uint32_t xid_gen_lock = 3, proc_array_lock = 4;
inline constexpr std::uint32_t lock_partitions = 16, list_head_bytes = 16;
inline constexpr int first_major = 13, last_major = 18;

// A field by its names in the server's source, for debug information and for
// messages; `type` may be known by another name in another version.
struct LayoutField {
    const char* type;
    const char* name; // empty: the size of the type
    Offset Layout::*required = nullptr;
    std::optional<Offset> Layout::*optional = nullptr;
};
[[nodiscard]] std::span<const LayoutField> layout_fields();

// The major version in "15.18 (Debian ...)"; refused: 12 and older, 19 and newer.
[[nodiscard]] Result<int> supported_major(std::string_view version);

// MAJOR as from supported_major().
[[nodiscard]] const Layout& table_layout(int major);

} // namespace snapscope::mirror
