// One look at the proc array, and how to tell that it was torn.
//
// No lock is taken and there is none to take: a sample is several loads, while
// the server goes on.  So the roster and the counters are read before and after
// what lies between, in one call; a roster that moved gives no slots, counters
// that moved give no set of running xids.  Each word by itself is always whole.
#pragma once

#include "anatomy.hpp"

#include <optional>
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

[[nodiscard]] Result<Counters> read_counters(const Memory& memory, const Anatomy& anatomy);

enum class Torn { no, roster, counters };

struct DenseSlot {
    std::uint32_t slot = 0;
    std::uint32_t xid = 0;
    std::uint32_t xmin = 0; // 13 only
    std::uint8_t flags = 0;
    std::uint8_t subxids = 0;
};

// What every snapshot of the server itself scans, and what stands beside it.
struct DenseSample {
    Torn torn = Torn::no;
    Counters counters; // at the end
    bool lock_exclusive = false;
    std::uint32_t lock_shared = 0; // holders
    std::vector<DenseSlot> slots;  // occupied ones, rising; empty where the roster is torn
};

// What only the entries of PGPROC hold.
struct ProcSlot {
    std::uint32_t slot = 0;
    std::int32_t pid = 0; // in the server's namespace; 0: a prepared transaction
    std::uint32_t database = 0, role = 0;
    std::uint32_t wait_event = 0;
    std::uint32_t xid = 0, xmin = 0; // 14+
    std::uint8_t flags = 0;          // 14+
};

struct ProcSample {
    Torn torn = Torn::no; // or roster
    std::vector<ProcSlot> slots;
};

// Keeps its buffers between samples.
class SampleReader {
  public:
    explicit SampleReader(const Anatomy& anatomy) : anatomy_(anatomy) {}

    Status read(const Memory& memory, DenseSample& sample);
    Status read(const Memory& memory, ProcSample& sample);

  private:
    // The roster as bytes, ProcArrayStruct's head included, before and after what is between.
    struct RosterBytes {
        std::vector<std::byte> before, after;
    };
    [[nodiscard]] std::uint32_t listed() const; // numProcs of the first read
    [[nodiscard]] bool grow();
    [[nodiscard]] bool same_roster() const;
    [[nodiscard]] std::uint32_t slot_at(std::uint32_t at) const;
    [[nodiscard]] DenseSlot dense_slot(std::uint32_t at) const;

    Anatomy anatomy_;
    std::uint32_t room_ = 16; // roster entries that are read
    RosterBytes roster_;
    std::vector<std::byte> xids_, flags_, subxids_, pgxact_, procs_;
};

// Of a wait_event_info: a wait for ProcArrayLock.
[[nodiscard]] bool waits_for_proc_array_lock(std::uint32_t wait_event);

// How many xids have been given out since XID; 0 for none and for the future.
[[nodiscard]] std::uint32_t age_of(std::uint32_t xid, std::uint64_t next_xid);

} // namespace snapscope::mirror
