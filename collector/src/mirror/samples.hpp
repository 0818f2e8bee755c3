// What a look at the proc array gives.
//
// No lock is taken and there is none to take: a look is several loads, while the
// server goes on.  So the roster and the counters are read around what lies
// between, in one call; a roster that moved gives no slots, counters that moved
// give no set of running xids.  Each word by itself is always whole.
#pragma once

#include "anatomy.hpp"

#include <optional>
#include <span>
#include <vector>

namespace snapscope::mirror {

inline constexpr std::uint32_t first_normal_xid = 3;

// Bits of statusFlags (vacuumFlags in 13), the same in all versions.
inline constexpr std::uint8_t flag_in_vacuum = 0x02, flag_in_logical_decoding = 0x10;

struct Counters {
    std::uint64_t next_xid = 0;                    // xids given out so far, epochs included
    std::uint64_t latest_completed_xid = 0;        // 13: without epoch
    std::optional<std::uint64_t> completion_count; // 14+: ends of xids, aborts and subtransactions too

    friend bool operator==(const Counters&, const Counters&) = default;
};

// Of the server's variable cache: all that is read of it lies in so many bytes.
inline constexpr std::size_t variables_span = 64;
[[nodiscard]] Counters counters_in(std::span<const std::byte> variables, const Layout& layout);
[[nodiscard]] Result<Counters> read_counters(const Memory& memory, const Anatomy& anatomy);

enum class Torn { no, roster, counters };

struct DenseSlot {
    std::uint32_t slot = 0;
    std::uint32_t xid = 0;
    std::uint32_t xmin = 0;   // 13 only, as the next two
    std::uint8_t flags = 0;   // vacuumFlags
    std::uint8_t subxids = 0; // how many are cached
};

// What every snapshot of the server itself scans, and what stands beside it.
struct DenseSample {
    Torn torn = Torn::no;
    Counters counters; // at the end
    bool lock_exclusive = false;
    std::uint32_t lock_shared = 0; // holders
    // Occupied ones, rising; empty where the roster is torn.  Where counters are
    // torn, what they hold is of the last look that was whole, or is torn itself.
    std::vector<DenseSlot> slots;
    bool anew = true;                   // the look before had other slots, or did not know what they hold
    std::vector<std::uint32_t> changed; // otherwise: the entries of `slots` that hold something else than then
};

// What only the entries of PGPROC hold.
struct ProcSlot {
    std::uint32_t slot = 0;
    std::int32_t pid = 0; // in the server's namespace; 0: a prepared transaction
    std::uint32_t database = 0, role = 0;
    std::uint32_t wait_event = 0;
    std::uint32_t xid = 0, xmin = 0; // 14+, as the next
    std::uint8_t flags = 0;
};

struct ProcSample {
    Torn torn = Torn::no; // or roster
    std::vector<ProcSlot> slots;
};

// Of a wait_event_info: a wait for ProcArrayLock.
[[nodiscard]] bool waits_for_proc_array_lock(std::uint32_t wait_event);

// How many xids have been given out since XID; 0 for none and for the future.
[[nodiscard]] std::uint32_t age_of(std::uint32_t xid, std::uint64_t next_xid);

} // namespace snapscope::mirror
