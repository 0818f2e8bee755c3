// Where the arrays lie that a snapshot of PostgreSQL 13 reads: as a run states
// it, or as a server with given settings would lay them.
//
// 13 allocates each array by ShmemAlloc(), which rounds up to 128 bytes, in a
// segment that starts on a page: the settings decide everything but the
// segment's own address (shmem_offsets.hpp).
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

// The settings that size the arrays, with 13's defaults.
struct ProcSettings {
    std::uint32_t max_connections = 100;
    std::uint32_t autovacuum_max_workers = 3;
    std::uint32_t max_worker_processes = 8;
    std::uint32_t max_wal_senders = 10;
    std::uint32_t max_prepared_transactions = 0;
    std::uint32_t shared_buffers = 16384;     // of 8 KiB: 128 MB
    std::optional<std::uint32_t> wal_buffers; // of 8 KiB; none: the server's choice
    std::uint32_t max_locks_per_transaction = 64;
    std::uint32_t max_pred_locks_per_transaction = 64;
    std::uint32_t snapshot_layout_pad_kib = 0; // of the patched server
    bool patched = false;                      // our server, which also keeps where its memory file is
    bool snapshot_copy = false;                // and snapshot_cache is not off

    // Backends of all kinds (MaxBackends); the launcher of autovacuum is one.
    [[nodiscard]] std::uint64_t max_backends() const;
    // Entries of PGXACT and PGPROC: also auxiliary processes and prepared transactions.
    [[nodiscard]] std::uint64_t slots() const;
};

inline constexpr std::uint64_t pgxact_bytes = 12;
inline constexpr std::uint64_t pgproc_bytes = 856;         // 13 on 64-bit Linux
inline constexpr std::uint32_t auxiliary_processes = 4;    // NUM_AUXILIARY_PROCS of 13
inline constexpr std::uint64_t proc_array_head_bytes = 40; // ProcArrayStruct before pgprocnos[]
inline constexpr std::uint64_t lwlock_bytes = 16;
inline constexpr std::uint64_t shmem_alignment = 128;   // of ShmemAlloc()
inline constexpr std::uint64_t subxids_a_slot = 65;     // cached ones and the top-level xid
inline constexpr std::uint64_t copy_header_bytes = 128; // of the shared snapshot copy, before its xids

// Bytes of the shared snapshot copy for LIMIT entries of pgprocnos[], and where
// its subxids begin.
[[nodiscard]] std::uint64_t snapshot_copy_bytes(std::uint64_t limit);
[[nodiscard]] std::uint64_t snapshot_copy_subxids_offset(std::uint64_t limit);

// Fails (class usage) beyond what the server allows (262143 backends).
[[nodiscard]] Status check_settings(const ProcSettings& settings);

// All that a snapshot touches; bytes of the server's address space.
struct ProcArrays {
    std::uint64_t pgxact_address = 0, pgxact_stride = pgxact_bytes, slots = 0;
    std::uint64_t pgprocnos_address = 0, proc_limit = 0; // entries of pgprocnos[]
    std::uint64_t lock_address = 0;
    std::uint64_t latest_completed_xid_address = 0;
    std::uint64_t copy_address = 0; // header; xids and subxids each behind it
    std::uint64_t copy_xids_address = 0, copy_subxids_address = 0;
    std::uint32_t max_connections = 0;
    std::vector<std::string> assumed; // names whose address nobody stated

    // The same with padded entries, at an address of their own.
    void pad_entries(std::uint64_t stride);
};

// Out of a run's layout; fails where it has no PGXACT (a server from 14 on, or
// one that no source described).  What else is not stated is assumed to start on
// a page of its own, and named in `assumed`.
[[nodiscard]] Result<ProcArrays> proc_arrays_of(const Run& run);

// As a server with these settings lays them, in a segment at a made-up address.
[[nodiscard]] ProcArrays compute_proc_arrays(const ProcSettings& settings);

} // namespace snapscope
