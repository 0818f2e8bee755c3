#include "access_programs.hpp"

#include <algorithm>
#include <iterator>

namespace snapscope {
namespace {

// Lines of a scan that are read without anybody else in between.
constexpr std::uint32_t lines_a_piece = 8;
constexpr std::uint64_t header_bytes = 64; // of the copy: one line

constexpr std::array<const char*, purpose_count> purpose_words{
    "lock", "scan", "copy", "build", "own_entry", "xact_end", "invalidation", "horizon", "connect"};

} // namespace

const char* to_string(Purpose purpose) {
    return purpose_words.at(static_cast<std::size_t>(purpose));
}

AccessPrograms::AccessPrograms(const ProcArrays& arrays, const LineSpace& lines, bool cached, Interleaver& out)
    : arrays_(arrays), lines_(lines), cached_(cached), out_(out) {}

std::vector<Region> AccessPrograms::regions(const ProcArrays& arrays) {
    return {
        {"ProcArrayLock", arrays.lock_address, lwlock_bytes},
        {"latestCompletedXid", arrays.latest_completed_xid_address, 4},
        {"ProcArray", arrays.pgprocnos_address - proc_array_head_bytes, proc_array_head_bytes + 4 * arrays.proc_limit},
        {"PGXACT", arrays.pgxact_address, arrays.slots * arrays.pgxact_stride},
        {"snapshot_copy", arrays.copy_address, header_bytes},
        {"snapshot_copy xids", arrays.copy_xids_address, 4 * arrays.proc_limit},
        {"snapshot_copy subxids", arrays.copy_subxids_address, 4 * subxids_a_slot * arrays.proc_limit}};
}

void AccessPrograms::touch(Moment at, RegionIndex region, std::uint64_t offset, std::uint64_t bytes, AccessKind kind,
                           Purpose purpose) {
    Piece piece;
    piece.time_ns = at.time_ns;
    piece.from = lines_.line(region, offset);
    piece.to = lines_.line(region, offset + bytes - 1) + 1;
    piece.cpu = at.where.cpu;
    piece.kind = kind;
    piece.purpose = static_cast<std::uint8_t>(purpose);
    out_.add(piece);
}

// The words that matter are the first ones: xid and xmin, 8 bytes.
void AccessPrograms::own_entry(Moment at, AccessKind kind, Purpose purpose) {
    touch(at, pgxact, at.where.slot * arrays_.pgxact_stride, std::min<std::uint64_t>(8, arrays_.pgxact_stride), kind,
          purpose);
}

void AccessPrograms::enter(std::uint32_t slot) {
    if (members_.size() >= arrays_.proc_limit || !members_.insert(slot).second)
        return;
    out_.drop_plan(plan_);
    plan_ = no_plan;
}

// In the order of the loop: an entry's number, then the entry.
PlanId AccessPrograms::scan_plan() {
    if (plan_ != no_plan)
        return plan_;
    std::vector<LineId> lines;
    constexpr LineId none = std::numeric_limits<LineId>::max();
    LineId last_number = none;
    LineId last_entry = none;
    plan_pgxact_lines_ = 0;
    std::uint64_t index = 0;
    for (const std::uint32_t slot : members_) {
        const LineId number = lines_.line(proc_array, proc_array_head_bytes + 4 * index++);
        if (number != last_number)
            lines.push_back(last_number = number);
        const std::uint64_t offset = slot * arrays_.pgxact_stride;
        const LineId first = lines_.line(pgxact, offset);
        // Entries that are padded are read only where they hold something.
        const LineId last = lines_.line(pgxact, offset + std::min(arrays_.pgxact_stride, pgxact_bytes) - 1);
        for (LineId line = first; line <= last; ++line) {
            if (last_entry != none && line <= last_entry)
                continue;
            lines.push_back(last_entry = line);
            ++plan_pgxact_lines_;
        }
    }
    plan_ = out_.keep_plan(std::move(lines));
    return plan_;
}

// Evenly over [from, to]: in pieces, so that others come in between.
void AccessPrograms::scan_entries(std::int64_t from_ns, std::int64_t to_ns, Where where, Purpose purpose) {
    const PlanId plan = scan_plan();
    const auto lines = static_cast<std::uint32_t>(out_.plan(plan).size());
    const std::uint32_t pieces = (lines + lines_a_piece - 1) / lines_a_piece;
    for (std::uint32_t i = 0; i < pieces; ++i) {
        Piece piece;
        piece.time_ns = from_ns + (to_ns - from_ns) * (i + 1) / (pieces + 1);
        piece.from = i * lines_a_piece;
        piece.to = std::min(lines, piece.from + lines_a_piece);
        piece.plan = plan;
        piece.cpu = where.cpu;
        piece.purpose = static_cast<std::uint8_t>(purpose);
        out_.add(piece);
    }
}

void AccessPrograms::scan(const Operation& operation, Where where, Purpose purpose) {
    const Moment begin{operation.start_ns, where};
    touch(begin, completed, 0, 4, AccessKind::read, purpose);
    touch(begin, proc_array, 0, proc_array_head_bytes, AccessKind::read, purpose);
    scan_entries(operation.start_ns, operation.end_ns, where, purpose);
    ++scan_lines_.scans;
    scan_lines_.modelled += plan_pgxact_lines_;
    if (operation.recorded_lines != 0 && !operation.refreshes) {
        ++scan_lines_.scans_with_record;
        scan_lines_.recorded += operation.recorded_lines;
        scan_lines_.modelled_with_record += plan_pgxact_lines_;
    }
}

void AccessPrograms::copy_arrays(const Operation& operation, Moment at, AccessKind kind, Purpose purpose) {
    const std::uint64_t count = std::min<std::uint64_t>(operation.xids, arrays_.proc_limit);
    const std::uint64_t subcount = std::min<std::uint64_t>(operation.subxids, subxids_a_slot * arrays_.proc_limit);
    if (count > 0)
        touch(at, xids, 0, 4 * count, kind, purpose);
    if (subcount > 0)
        touch(at, subxids, 0, 4 * subcount, kind, purpose);
}

// Under the lock, from the check of validity on.
void AccessPrograms::read_copy(const Operation& operation, Moment at) {
    copy_header(at, AccessKind::read, Purpose::copy);
    copy_arrays(operation, at, AccessKind::read, Purpose::copy);
    if (!operation.refreshes)
        return;
    scan_entries(at.time_ns, operation.end_ns, at.where, Purpose::horizon);
    copy_header({operation.end_ns, at.where}, AccessKind::locked, Purpose::horizon);
}

void AccessPrograms::snapshot(const Operation& operation, Where where) {
    const Moment begin{operation.start_ns, where};
    const Moment middle{operation.start_ns + (operation.end_ns - operation.start_ns) / 2, where};
    const Moment end{operation.end_ns, where};
    const auto publish = [&](Moment at) {
        if (operation.publishes)
            own_entry(at, AccessKind::write, Purpose::own_entry);
    };
    switch (operation.path) {
    case SnapshotPath::lost_scan:
        acquire(begin);
        copy_header(begin, AccessKind::locked, Purpose::copy);
        if (operation.waited_for_builder)
            copy_header(middle, AccessKind::read, Purpose::copy);
        release(begin);
        [[fallthrough]];
    case SnapshotPath::scan:
        acquire(begin);
        scan(operation, where, Purpose::scan);
        own_entry(end, AccessKind::read, Purpose::own_entry);
        publish(end);
        release(end);
        break;
    case SnapshotPath::rebuild:
        acquire(begin);
        copy_header(begin, AccessKind::locked, Purpose::build);
        scan(operation, where, Purpose::build);
        copy_arrays(operation, end, AccessKind::write, Purpose::build);
        copy_header(end, AccessKind::write, Purpose::build);
        read_copy(operation, end);
        publish(end);
        release(end);
        break;
    case SnapshotPath::locked_copy:
        acquire(begin);
        if (operation.waited_for_builder)
            copy_header(begin, AccessKind::locked, Purpose::copy); // tried to build it
        read_copy(operation, middle);
        publish(end);
        release(end);
        break;
    case SnapshotPath::lockfree:
        for (std::uint32_t i = 0; i <= operation.retries; ++i) {
            const Moment at{begin.time_ns + (end.time_ns - begin.time_ns) * i / (operation.retries + 1), where};
            copy_header(at, AccessKind::read, Purpose::copy);
            publish(at);
            copy_arrays(operation, at, AccessKind::read, Purpose::copy);
        }
        copy_header(end, AccessKind::read, Purpose::copy);
        break;
    case SnapshotPath::kept:
        copy_header(begin, AccessKind::read, Purpose::copy);
        publish(begin);
        copy_header(end, AccessKind::read, Purpose::copy);
        break;
    }
}

void AccessPrograms::xact_end(const Operation& operation, Moment at) {
    if (operation.xid == 0) {
        own_entry(at, AccessKind::write, Purpose::xact_end);
        return;
    }
    acquire(at);
    own_entry(at, AccessKind::write, Purpose::xact_end);
    touch(at, completed, 0, 4, AccessKind::write, Purpose::xact_end);
    release(at);
}

// The array is sorted: what stands behind the entry moves.
void AccessPrograms::membership(const Operation& operation, Moment at) {
    const std::uint32_t slot = at.where.slot;
    const bool taken = operation.kind == OperationKind::slot_taken;
    const auto place = static_cast<std::uint64_t>(std::distance(members_.begin(), members_.lower_bound(slot)));
    if (taken ? members_.contains(slot) || members_.size() >= arrays_.proc_limit : !members_.contains(slot))
        return;
    const std::uint64_t count = members_.size() + (taken ? 1 : 0);
    acquire(at);
    touch(at, proc_array, 0, proc_array_head_bytes, AccessKind::write, Purpose::connect);
    touch(at, proc_array, proc_array_head_bytes + 4 * place, 4 * (count - place), AccessKind::write, Purpose::connect);
    release(at);
    own_entry(at, AccessKind::write, Purpose::connect);
    if (taken)
        members_.insert(slot);
    else
        members_.erase(slot);
    out_.drop_plan(plan_);
    plan_ = no_plan;
}

void AccessPrograms::run(const Operation& operation, Where where) {
    const Moment at{operation.end_ns, where};
    switch (operation.kind) {
    case OperationKind::snapshot:
        snapshot(operation, where);
        break;
    case OperationKind::xact_end:
        xact_end(operation, at);
        break;
    case OperationKind::xmin_store:
        if (operation.left_xmin) // it is compared with the oldest snapshot left before it is cleared
            own_entry(at, AccessKind::read, Purpose::own_entry);
        own_entry(at, AccessKind::write, Purpose::own_entry);
        if (cached_ && operation.left_xmin)
            copy_header(at, AccessKind::read, Purpose::horizon);
        break;
    case OperationKind::xid_assigned:
        own_entry(at, AccessKind::write, Purpose::own_entry);
        break;
    case OperationKind::invalidation:
        if (cached_)
            copy_header(at, AccessKind::write, Purpose::invalidation);
        break;
    case OperationKind::slot_taken:
    case OperationKind::slot_released:
        membership(operation, at);
        break;
    }
}

} // namespace snapscope
