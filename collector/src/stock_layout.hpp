// Where an unpatched server of a major version keeps what is looked at here:
// offsets in bytes, x86-64 Linux, from the headers and debug information of 13
// to 18.  They hold for builds without assertions; who uses them confirms them
// on the live server first (server_words.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace snapscope {

struct StockLayout {
    int major = 0;
    std::uint32_t proc_bytes = 0;                  // sizeof(PGPROC)
    std::optional<std::uint32_t> proc_number;      // PGPROC.pgprocno; gone from 17 on
    std::optional<std::uint32_t> array_offset;     // PGPROC.pgxactoff; from 14 on
    std::uint32_t proc_xmin = 0;                   // PGPROC.xmin; before 14 of PGXACT
    std::uint32_t proc_count = 0;                  // PROC_HDR.allProcCount
    std::optional<std::uint32_t> completion_count; // SnapshotData.snapXactCompletionCount; from 14 on
};

// Common to all of them.
namespace stock {
inline constexpr std::uint32_t all_procs = 0;     // PROC_HDR
inline constexpr std::uint32_t xids = 8;          // PROC_HDR, from 14 on
inline constexpr std::uint32_t pgxact = 8;        // PROC_HDR.allPgXact, before
inline constexpr std::uint32_t pgxact_bytes = 12; // sizeof(PGXACT): xid, xmin, ...
inline constexpr std::uint32_t pgxact_xmin = 4;
inline constexpr std::uint32_t xid_bytes = 4;
inline constexpr std::uint32_t lock_bytes = 128;    // LWLockPadded
inline constexpr std::uint32_t lock_tranche = 0;    // 16 bits
inline constexpr std::uint32_t lock_state = 4;      // of LWLock
inline constexpr std::uint32_t proc_array_lock = 4; // its number, and its tranche
} // namespace stock

// nullopt: a version that is not known here.
[[nodiscard]] std::optional<StockLayout> stock_layout(int major);

// 15 of "15.18 (Debian 15.18-0+deb12u1)"; nullopt when there is no number.
[[nodiscard]] std::optional<int> major_of(std::string_view version);

} // namespace snapscope
