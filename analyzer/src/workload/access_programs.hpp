// The access programs: which lines each operation of a backend of the patched
// 13 touches, in which order, read or written.
//
// Out of its source: GetSnapshotData(), ProcArrayEndTransaction(),
// SnapshotResetXmin(), ProcArrayAdd() and ProcArrayRemove(), and the files
// snapcache_*.c.  A run of accesses of one operation to one line counts once,
// as long as the line cannot have left meanwhile.
//
//   scan         lock*, latestCompletedXid, ProcArray's head; for each entry its
//                pgprocnos line and its PGXACT lines; own entry (written where
//                the xmin is published); lock*
//   locked_copy  lock*, copy's header, its xids and subxids; own entry if
//                published; lock*
//   rebuild      lock*, header*, the scan's lines, xids and subxids written,
//                header written; then as locked_copy
//   lost_scan    lock*, header*, lock*; then as scan
//   lockfree     header, own entry if published, header, xids, subxids, header;
//                a retry once more
//   kept         header, own entry if published, header
//   refresh      the scan's entries, header written (beside a locked_copy or a rebuild)
//   xact_end     with an xid: lock*, own entry written, latestCompletedXid
//                written, lock*; without: own entry written
//   xmin_store, xid_assigned   own entry written
//   invalidation header written
//   slot_taken, slot_released  lock*, ProcArray's head and the pgprocnos lines
//                from the entry's place on written, lock*; own entry written
// lock*, header*: read, modified and written at once.  In a cached mode whoever
// ends or clears an xmin also looks at the copy's header.
//
// Left out, since no event tells it: the wait queue of the lock, PGPROC (subxid
// caches, semaphores), XidGenLock, group clearing by a leader, epoch bumps.
#pragma once

#include "interleaver.hpp"
#include "operation.hpp"

#include <snapscope/analyzer/proc_arrays.hpp>

#include <functional>
#include <set>
#include <string>

namespace snapscope {

enum class Purpose : std::uint8_t { lock, scan, copy, build, own_entry, xact_end, invalidation, horizon, connect };
inline constexpr std::size_t purpose_count = 9;
static_assert(purpose_count <= max_purposes);
[[nodiscard]] const char* to_string(Purpose purpose);

// What a scan was found to read.
struct ScanLines {
    std::uint64_t scans = 0;
    std::uint64_t modelled = 0;          // lines of PGXACT, all scans together
    std::uint64_t recorded = 0;          // the same as the server counted them
    std::uint64_t scans_with_record = 0; // scans that it counted
    std::uint64_t modelled_with_record = 0;
};

class AccessPrograms {
  public:
    struct Where {
        std::uint32_t slot = 0; // of the array: after placement
        std::uint16_t cpu = 0;  // index in the topology
    };
    // ARRAYS and LINES must live as long; CACHED: the mode has a shared copy.
    AccessPrograms(const ProcArrays& arrays, const LineSpace& lines, bool cached, Interleaver& out);

    // The lines that the programs need, for LineSpace::create().
    [[nodiscard]] static std::vector<Region> regions(const ProcArrays& arrays);

    // In the array from the start.
    void enter(std::uint32_t slot);
    void run(const Operation& operation, Where where);
    [[nodiscard]] const ScanLines& scan_lines() const { return scan_lines_; }
    [[nodiscard]] std::size_t entries() const { return members_.size(); }

  private:
    enum RegionIndex : std::size_t { lock, completed, proc_array, pgxact, header, xids, subxids };
    struct Moment {
        std::int64_t time_ns;
        Where where;
    };

    void snapshot(const Operation& operation, Where where);
    void scan(const Operation& operation, Where where, Purpose purpose);
    void scan_entries(std::int64_t from_ns, std::int64_t to_ns, Where where, Purpose purpose);
    void copy_arrays(const Operation& operation, Moment at, AccessKind kind, Purpose purpose);
    void read_copy(const Operation& operation, Moment at);
    void xact_end(const Operation& operation, Moment at);
    void membership(const Operation& operation, Moment at);
    void touch(Moment at, RegionIndex region, std::uint64_t offset, std::uint64_t bytes, AccessKind kind,
               Purpose purpose);
    // The server looks at the word before it tries to take the lock.
    void acquire(Moment at) {
        touch(at, lock, 0, 4, AccessKind::read, Purpose::lock);
        release(at);
    }
    void release(Moment at) { touch(at, lock, 0, 4, AccessKind::locked, Purpose::lock); }
    void copy_header(Moment at, AccessKind kind, Purpose purpose) { touch(at, header, 0, 64, kind, purpose); }
    void own_entry(Moment at, AccessKind kind, Purpose purpose);
    [[nodiscard]] PlanId scan_plan();

    const ProcArrays& arrays_;
    const LineSpace& lines_;
    bool cached_;
    Interleaver& out_;
    std::set<std::uint32_t> members_; // slots in pgprocnos[]
    PlanId plan_ = no_plan;           // of these; no_plan: to be made
    std::uint64_t plan_pgxact_lines_ = 0;
    ScanLines scan_lines_;
};

} // namespace snapscope
