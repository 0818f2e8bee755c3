#include <snapscope/analyzer/proc_arrays.hpp>
#include <snapscope/analyzer/shmem_offsets.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::uint64_t most_backends = 262143;
constexpr std::uint64_t most_slots = std::uint64_t{1} << 20U;
constexpr std::uint64_t most_stride = std::uint64_t{1} << 16U;
constexpr std::uint64_t page = 4096;

std::uint64_t align(std::uint64_t value, std::uint64_t to) {
    return (value + to - 1) / to * to;
}

// Addresses of what nobody stated: far from everything, a page apart.
class MadeUp {
  public:
    std::uint64_t take(std::uint64_t bytes) {
        const std::uint64_t address = next_;
        next_ += align(bytes, page) + page;
        return address;
    }

  private:
    std::uint64_t next_ = std::uint64_t{0x6} << 44U; // no segment lies there: Linux maps below 0x8 << 44, from the top
};

const Array* find(const Run& run, const char* name) {
    const auto at = std::ranges::find(run.layout.arrays, name, &Array::name);
    return at == run.layout.arrays.end() ? nullptr : &*at;
}

void place_copy(ProcArrays& arrays, std::uint64_t address) {
    arrays.copy_address = address;
    arrays.copy_xids_address = address + copy_header_bytes;
    arrays.copy_subxids_address = address + snapshot_copy_subxids_offset(arrays.proc_limit);
}

std::uint64_t pgprocnos_beside(MadeUp& made_up, const ProcArrays& arrays) {
    return made_up.take(proc_array_head_bytes + 4 * arrays.proc_limit) + proc_array_head_bytes;
}

} // namespace

std::uint64_t snapshot_copy_subxids_offset(std::uint64_t limit) {
    return copy_header_bytes + align(4 * limit, shmem_alignment);
}

std::uint64_t snapshot_copy_bytes(std::uint64_t limit) {
    return snapshot_copy_subxids_offset(limit) + 4 * subxids_a_slot * limit;
}

std::uint64_t ProcSettings::max_backends() const {
    return std::uint64_t{max_connections} + autovacuum_max_workers + 1 + max_worker_processes + max_wal_senders;
}

std::uint64_t ProcSettings::slots() const {
    return max_backends() + auxiliary_processes + max_prepared_transactions;
}

Status check_settings(const ProcSettings& settings) {
    if (settings.max_connections == 0)
        return fail("a server has at least one connection", "", ErrorClass::usage);
    constexpr std::uint32_t fewest_locks = 10;
    constexpr std::uint32_t most_locks = 1U << 20U;
    const auto fits = [](std::uint32_t locks) { return locks >= fewest_locks && locks <= most_locks; };
    if (!fits(settings.max_locks_per_transaction) || !fits(settings.max_pred_locks_per_transaction))
        return fail(fmt::format("locks a transaction are {} to {}", fewest_locks, most_locks), "", ErrorClass::usage);
    if (settings.shared_buffers < 16 || settings.shared_buffers > (1U << 30U))
        return fail("shared_buffers are 128kB to 8TB", "", ErrorClass::usage);
    if (settings.max_backends() > most_backends || settings.max_prepared_transactions > most_backends)
        return fail(fmt::format("no server has more than {} backends", most_backends), "", ErrorClass::usage);
    return {};
}

void ProcArrays::pad_entries(std::uint64_t stride) {
    if (stride == pgxact_stride)
        return;
    pgxact_stride = stride;
    pgxact_address = std::uint64_t{0x4} << 44U; // the real place has no room for it
    assumed.emplace_back("PGXACT");
}

Result<ProcArrays> proc_arrays_of(const Run& run) {
    const Array* const pgxact = find(run, "PGXACT");
    if (pgxact == nullptr)
        return fail("the run does not say where PGXACT lies",
                    "record a patched server of 13; the model's access programs are those of its snapshot");
    if (pgxact->entries == 0 || pgxact->entries > most_slots || pgxact->stride_bytes < 4 ||
        pgxact->stride_bytes > most_stride || pgxact->address > (std::uint64_t{1} << 57U))
        return fail(fmt::format("PGXACT with {} entries of {} bytes at {:#x} is no layout of a server", pgxact->entries,
                                pgxact->stride_bytes, pgxact->address));
    ProcArrays out;
    out.pgxact_address = pgxact->address;
    out.pgxact_stride = pgxact->stride_bytes;
    out.slots = pgxact->entries;
    out.proc_limit = std::max<std::uint64_t>(pgxact->entries, auxiliary_processes + 1) - auxiliary_processes;
    out.max_connections =
        std::min<std::uint32_t>(run.server.max_connections.value_or(0), static_cast<std::uint32_t>(out.slots));
    MadeUp made_up;
    const auto place = [&](const char* name, std::uint64_t bytes) {
        if (const Array* const array = find(run, name); array != nullptr && array->address != 0)
            return array->address;
        out.assumed.emplace_back(name);
        return made_up.take(bytes);
    };
    const Array* const pgprocnos = find(run, "pgprocnos");
    if (pgprocnos != nullptr && pgprocnos->address > proc_array_head_bytes) {
        out.pgprocnos_address = pgprocnos->address;
    } else {
        out.assumed.emplace_back("pgprocnos");
        out.pgprocnos_address = pgprocnos_beside(made_up, out);
    }
    out.lock_address = place("ProcArrayLock", lwlock_bytes);
    out.latest_completed_xid_address = place("latestCompletedXid", 4);
    place_copy(out, place("snapshot_copy", snapshot_copy_bytes(out.proc_limit)));
    return out;
}

ProcArrays compute_proc_arrays(const ProcSettings& settings) {
    constexpr std::uint64_t segment = std::uint64_t{0x5} << 44U;
    ProcSettings with_copy = settings;
    with_copy.snapshot_copy = true; // behind all else: it moves nothing
    const ShmemOffsets offsets = shmem_offsets_13(with_copy);
    ProcArrays out;
    out.slots = settings.slots();
    out.proc_limit = settings.max_backends() + settings.max_prepared_transactions;
    out.max_connections = settings.max_connections;
    out.pgxact_address = segment + offsets.pgxact;
    out.pgprocnos_address = segment + offsets.pgprocnos;
    out.lock_address = segment + offsets.proc_array_lock;
    out.latest_completed_xid_address = segment + offsets.latest_completed_xid;
    place_copy(out, segment + *offsets.snapshot_copy);
    return out;
}

} // namespace snapscope
