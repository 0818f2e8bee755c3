// Where the proc array of one server lies, and the proof that a layout is the
// right one for it: checks of the server's own structures against each other,
// on the live server.  A wrong version's layout, or one wrong field that
// structure can prove, is refused by the name of the check.
#pragma once

#include "layout.hpp"
#include "process_maps.hpp"

#include <functional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace snapscope::mirror {

// Addresses of the server's variables in its address space.
struct Variables {
    Address proc_global = 0;    // PROC_HDR *ProcGlobal
    Address variable_cache = 0; // VariableCache ShmemVariableCache, TransamVariables in 17+
    Address main_lwlocks = 0;   // LWLockPadded *MainLWLockArray
    Address max_backends = 0;
    Address max_connections = 0;
    Address max_worker_processes = 0;
    Address max_wal_senders = 0;
    Address max_prepared_xacts = 0;
};

// What is known about the server before its memory is read.
struct ServerFacts {
    std::string version; // as its binary states it
    pid_t creator = 0;   // the postmaster, in its own pid namespace
    Mapped segment;      // the mapping that holds the value of ProcGlobal
    Variables variables;
    // Pids of the postmaster's children, in their own pid namespace.
    std::function<std::vector<pid_t>()> children;
};

struct Anatomy {
    Layout layout;
    Mapped segment;
    Address proc_hdr = 0, all_procs = 0, variable_cache = 0, proc_array = 0;
    Address lock = 0;                         // ProcArrayLock
    Address pgxact = 0;                       // 13
    Address xids = 0, flags = 0, subxids = 0; // 14+
    std::uint32_t all_proc_count = 0;         // of allProcs, without prepared transactions
    std::uint32_t slots = 0;                  // with them
    std::uint32_t max_backends = 0;
    // Entries of allProcs in order: clients, autovacuum, background workers,
    // WAL senders, auxiliary, prepared transactions.
    std::uint32_t max_connections = 0, autovacuum_slots = 0, max_worker_processes = 0;

    // Of the roster: numProcs entries of 4 bytes.
    [[nodiscard]] Address roster() const { return proc_array + layout.roster; }
    [[nodiscard]] std::uint32_t max_roster() const { return max_backends + (slots - all_proc_count); }
    // "client", "autovacuum", "background worker", "walsender", "prepared transaction"
    [[nodiscard]] const char* kind_of(std::uint32_t slot) const;
};

// Class unavailable: "check NAME failed on PostgreSQL VERSION: found ..., expected ...".
// Moving parts that differ are looked at LOOKS times.
[[nodiscard]] Result<Anatomy> locate(const Memory& memory, const ServerFacts& facts, const Layout& layout,
                                     int looks = 5);

} // namespace snapscope::mirror
