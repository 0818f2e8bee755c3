#include <snapscope/analyzer/shmem_offsets.hpp>

#include <algorithm>
#include <bit>

namespace snapscope {
namespace {

constexpr std::uint64_t block = 8192;

constexpr std::uint64_t align(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}
constexpr std::uint64_t max_align(std::uint64_t value) {
    return align(value, 8);
}

// The segment as ShmemAlloc() fills it.
class Segment {
  public:
    // Where BYTES begin; what comes next begins on a line pair.
    std::uint64_t take(std::uint64_t bytes) {
        const std::uint64_t at = next_;
        next_ += align(bytes, shmem_alignment);
        return at;
    }
    // Before the allocator is set up.
    void take_unaligned(std::uint64_t bytes) { next_ += max_align(bytes); }
    void set_up() { next_ = align(next_, shmem_alignment); }

    // ShmemInitHash() and hash_create(): header with directory, segments of the
    // directory, elements; partitioned tables have 32 free lists.
    void take_hash(std::uint64_t initial, std::uint64_t most, std::uint64_t entry_bytes, std::uint64_t partitions = 0) {
        constexpr std::uint64_t header_bytes = 856;
        constexpr std::uint64_t element_head_bytes = 16;
        constexpr std::uint64_t segment_buckets = 256;
        constexpr std::uint64_t free_lists = 32;
        const auto segments = [](std::uint64_t buckets) {
            return std::bit_ceil((std::bit_ceil(buckets) - 1) / segment_buckets + 1);
        };
        take(header_bytes + 8 * std::max(segment_buckets, segments(most)));
        for (std::uint64_t i = segments(std::max(initial, partitions)); i > 0; --i)
            take(8 * segment_buckets);
        const std::uint64_t lists = partitions != 0 ? free_lists : 1;
        const std::uint64_t each = std::max<std::uint64_t>(1, initial / lists);
        const std::uint64_t first = each * lists < initial ? initial - each * (lists - 1) : each;
        const std::uint64_t element_bytes = element_head_bytes + max_align(entry_bytes);
        take(first * element_bytes);
        for (std::uint64_t i = 1; i < lists; ++i)
            take(each * element_bytes);
    }

    // SimpleLruInit()
    void take_slru(std::uint64_t buffers, std::uint64_t lsns = 0) {
        constexpr std::uint64_t head_bytes = 88;
        constexpr std::uint64_t buffer_alignment = 32;
        std::uint64_t bytes = head_bytes + max_align(8 * buffers) + max_align(4 * buffers) + max_align(buffers) +
                              2 * max_align(4 * buffers) + 128 * buffers + 8 * buffers * lsns;
        bytes = align(bytes, buffer_alignment);
        take(bytes + block * buffers);
    }

  private:
    static constexpr std::uint64_t segment_header_bytes = 56; // PGShmemHeader
    std::uint64_t next_ = segment_header_bytes;
};

std::uint64_t with_prepared(const ProcSettings& settings) {
    return settings.max_backends() + settings.max_prepared_transactions;
}

void take_logs(Segment& segment, const ProcSettings& s) {
    constexpr std::uint64_t control_file_bytes = 296;
    constexpr std::uint64_t xlog_ctl_bytes = 528;
    constexpr std::uint64_t insertion_locks = 9;     // and one for alignment
    constexpr std::uint64_t most_wal_buffers = 2048; // a WAL file of 16 MB
    const std::uint64_t wal_buffers =
        s.wal_buffers ? *s.wal_buffers : std::clamp<std::uint64_t>(s.shared_buffers / 32, 8, most_wal_buffers);
    segment.take(control_file_bytes);
    segment.take(xlog_ctl_bytes + 128 * insertion_locks + 8 * wal_buffers + block + block * wal_buffers);
    segment.take_slru(std::clamp<std::uint64_t>(s.shared_buffers / 512, 4, 128), 1024); // commit log
    segment.take_slru(std::clamp<std::uint64_t>(s.shared_buffers / 1024, 4, 16));       // commit timestamps
    segment.take(32);
    segment.take_slru(32); // subtransactions
    segment.take_slru(8);  // multixact offsets and members
    segment.take_slru(16);
    segment.take(48 + 4 + 8 * with_prepared(s));
}

void take_buffers(Segment& segment, const ProcSettings& s) {
    constexpr std::uint64_t partitions = 128;
    const std::uint64_t buffers = s.shared_buffers;
    segment.take(64 * buffers); // descriptors
    segment.take(block * buffers);
    segment.take(32 * buffers); // I/O locks
    segment.take(20 * buffers); // checkpoint
    segment.take_hash(buffers + partitions, buffers + partitions, 24, partitions);
    segment.take(28); // strategy
}

void take_locks(Segment& segment, const ProcSettings& s) {
    constexpr std::uint64_t partitions = 16;
    const std::uint64_t locks = s.max_locks_per_transaction * with_prepared(s);
    segment.take_hash(locks / 2, locks, 152, partitions);
    segment.take_hash(locks / 2 * 2, 2 * locks, 64, partitions);
    segment.take(4100); // fast-path strong locks

    const std::uint64_t targets = s.max_pred_locks_per_transaction * with_prepared(s);
    segment.take_hash(targets, targets, 32, partitions);
    segment.take_hash(2 * targets, 2 * targets, 56, partitions);
    const std::uint64_t serializable = 10 * with_prepared(s);
    segment.take(88);
    segment.take(168 * serializable);
    segment.take_hash(serializable, serializable, 16);
    segment.take(24);
    segment.take(48 * 5 * serializable); // conflicts
    segment.take(16);
    segment.take_slru(16);
    segment.take(12);
}

} // namespace

// The order of CreateSharedMemoryAndSemaphores().
ShmemOffsets shmem_offsets_13(const ProcSettings& settings) {
    constexpr std::uint64_t semaphore_bytes = 128;
    constexpr std::uint64_t fixed_locks = 48 + 128 + 16 + 16; // named, buffer mapping, lock manager, predicate
    constexpr std::uint64_t lock_slot = 128;
    constexpr std::uint64_t proc_array_lock_number = 4;
    constexpr std::uint64_t latest_completed_xid_offset = 48; // in VariableCacheData
    Segment segment;
    ShmemOffsets out;
    segment.take_unaligned(semaphore_bytes * (settings.max_backends() + auxiliary_processes));
    segment.take_unaligned(1); // the allocator's spinlock
    segment.set_up();
    out.latest_completed_xid = segment.take(56) + latest_completed_xid_offset;
    const std::uint64_t locks = segment.take(lock_slot * fixed_locks + 4 + lock_slot);
    out.proc_array_lock = align(locks + 4, lock_slot) + proc_array_lock_number * lock_slot;
    segment.take_hash(64, 64, 72); // index of structures
    take_logs(segment, settings);
    take_buffers(segment, settings);
    take_locks(segment, settings);

    segment.take(112); // PROC_HDR
    if (settings.snapshot_layout_pad_kib > 0)
        segment.take(std::uint64_t{1024} * settings.snapshot_layout_pad_kib);
    out.pgproc = segment.take(pgproc_bytes * settings.slots());
    out.pgxact = segment.take(pgxact_bytes * settings.slots());
    segment.take(1); // ProcStructLock

    if (settings.patched)
        segment.take(1); // the place of the memory file: less than a line pair

    const std::uint64_t limit = with_prepared(settings);
    out.proc_array = segment.take(proc_array_head_bytes + 4 * limit);
    out.pgprocnos = out.proc_array + proc_array_head_bytes;
    if (settings.snapshot_copy)
        out.snapshot_copy = segment.take(snapshot_copy_bytes(limit));
    return out;
}

} // namespace snapscope
