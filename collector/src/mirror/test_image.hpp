// A server's shared memory made by hand, after a layout: what the checks and
// the samples of the mirror are tried on without a server.
#pragma once

#include "anatomy.hpp"
#include "shmem_index.hpp"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace snapscope::mirror::test {

class ImageMemory final : public Memory {
  public:
    static constexpr Address segment_start = 0x7f0000000000;
    static constexpr Address variables_start = 0x555500000000;

    ImageMemory() : segment_(std::size_t{2} << 20U), variables_(256) {}

    [[nodiscard]] Status read(std::span<const Piece> pieces) const override {
        for (const auto& piece : pieces) {
            const std::byte* from = at(piece.from, piece.to.size());
            if (from == nullptr)
                return fail("not in the image");
            std::memcpy(piece.to.data(), from, piece.to.size());
            if (after_piece)
                after_piece(piece.from);
        }
        return {};
    }
    template <typename T> void put(Address address, T value) {
        std::memcpy(const_cast<std::byte*>(at(address, sizeof value)), &value, sizeof value);
    }
    // Called after each piece that was read, with its address: the server goes on meanwhile.
    std::function<void(Address)> after_piece;

  private:
    [[nodiscard]] const std::byte* at(Address address, std::size_t bytes) const {
        if (address >= segment_start && address + bytes <= segment_start + segment_.size())
            return segment_.data() + (address - segment_start);
        if (address >= variables_start && address + bytes <= variables_start + variables_.size())
            return variables_.data() + (address - variables_start);
        return nullptr;
    }
    std::vector<std::byte> segment_, variables_;
};

struct Session {
    std::uint32_t slot = 0;
    std::int32_t pid = 0;
    std::uint32_t xid = 0, xmin = 0, database = 0;
    std::uint8_t flags = 0, subxids = 0;
    std::uint32_t wait_event = 0x06000000;
};

class TestServer {
  public:
    static constexpr std::uint32_t connections = 20, workers = 8, senders = 10, autovacuum = 4, prepared = 5;
    static constexpr std::uint32_t backends = connections + workers + senders + autovacuum;
    static constexpr std::uint64_t next_xid = (std::uint64_t{3} << 32U) + 5000;

    explicit TestServer(const Layout& layout) : l(layout) {
        put_variables();
        put_index();
        put_header();
        put_procs();
        put_counters();
    }

    // SESSIONS in rising order of slots.
    void set_roster(const std::vector<Session>& sessions) {
        memory.put(proc_array, static_cast<std::uint32_t>(sessions.size()));
        std::uint32_t at = 0;
        for (const auto& session : sessions)
            put_session(at++, session);
    }
    [[nodiscard]] ServerFacts facts() const {
        return {std::to_string(l.major) + ".1", creator, segment, variables, [this] { return children; }};
    }
    [[nodiscard]] Result<Anatomy> locate(const Layout& layout) const {
        return mirror::locate(memory, facts(), layout, 1);
    }

    [[nodiscard]] Address proc_at(std::uint32_t slot) const { return procs + std::uint64_t{slot} * l.pgproc_bytes; }
    [[nodiscard]] std::uint32_t all() const { return backends + l.auxiliary_procs; }

    static constexpr pid_t creator = 4000;
    static constexpr Address start = ImageMemory::segment_start;
    static constexpr Address cache = start + 0x8000, proc_array = start + 0x9000, locks = start + 0xa000,
                             header = start + 0x10000, dense = start + 0x18000, procs = start + 0x20000;
    static constexpr Address xids = dense, subxids = dense + 0x1000, flags = dense + 0x2000, pgxact = dense + 0x3000;
    Layout l;
    ImageMemory memory;
    Mapped segment{start, start + (std::uint64_t{2} << 20U), "rw-s", 0, 0, 1, 77, "/dev/zero (deleted)"};
    Variables variables{};
    std::vector<pid_t> children{4100, 4101, 4102, 4103, 4104};

  private:
    void put_variables() {
        Address next = ImageMemory::variables_start;
        const auto variable = [&](Address Variables::*member, auto value) {
            variables.*member = next;
            memory.put(next, value);
            next += 8;
        };
        variable(&Variables::proc_global, header);
        variable(&Variables::variable_cache, cache);
        variable(&Variables::main_lwlocks, locks);
        variable(&Variables::max_backends, backends);
        variable(&Variables::max_connections, connections);
        variable(&Variables::max_worker_processes, workers);
        variable(&Variables::max_wal_senders, senders);
        variable(&Variables::max_prepared_xacts, prepared);
    }
    void put_index() {
        memory.put(start, segment_magic);
        memory.put(start + 4, creator);
        memory.put(start + 8, segment.bytes());
        memory.put(start + 32, start + 0x400);
        Address entry = start + 0x1000;
        const auto name = [&](const std::string& text, Address location, std::uint64_t bytes) {
            for (std::size_t i = 0; i < text.size(); ++i)
                memory.put(entry + i, text[i]);
            memory.put(entry + 48, location);
            memory.put(entry + 56, bytes);
            entry += 88;
        };
        name("Proc Header", header, l.proc_hdr_bytes);
        name("Proc Array", proc_array, l.roster + std::uint64_t{4} * (backends + prepared));
        if (l.variables_bytes)
            name("TransamVariables", cache, *l.variables_bytes);
        if (l.major >= 18)
            name("PGPROC structures", procs, std::uint64_t{all() + prepared} * (l.pgproc_bytes + 7));
    }
    void put_header() {
        if (l.all_pgxact)
            memory.put(header + *l.all_pgxact, pgxact);
        if (l.xids) {
            memory.put(header + *l.xids, xids);
            memory.put(header + *l.subxid_states, subxids);
            memory.put(header + *l.status_flags, flags);
        }
        memory.put(header + l.all_procs, procs);
        memory.put(header + l.all_proc_count, all());
        memory.put(proc_array + 4, backends + prepared);
        memory.put(locks + std::uint64_t{3} * lock_stride, std::uint16_t{3});
        memory.put(locks + std::uint64_t{4} * lock_stride, std::uint16_t{4});
    }
    void put_procs() {
        for (std::uint32_t slot = 0; slot < all() + prepared; ++slot) {
            const Address proc = proc_at(slot);
            memory.put(proc, proc_at(slot + 1));
            memory.put(proc + 8, proc_at(slot + 2));
            memory.put(proc + l.procgloballist, header + 24);
            memory.put(proc + l.procgloballist + 8, start + 0x100000); // its semaphore
            if (l.pgprocno)
                memory.put(proc + *l.pgprocno, slot);
            for (std::uint32_t i = 0; i < 2 * lock_partitions; ++i)
                memory.put(proc + l.my_proc_locks + std::uint64_t{i} * 8,
                           proc + l.my_proc_locks + std::uint64_t{i / 2} * 16);
        }
    }
    void put_counters() {
        memory.put(cache, std::uint32_t{24576});
        memory.put(cache + l.next_xid, next_xid);
        memory.put(cache + l.oldest_xid, std::uint32_t{700});
        memory.put(cache + l.xid_wrap_limit, 700U + 0x7fffffffU);
        memory.put(cache + l.latest_completed_xid, next_xid - 1);
        if (l.completion_count)
            memory.put(cache + *l.completion_count, std::uint64_t{9000});
    }
    void put_session(std::uint32_t at, const Session& s) {
        const Address proc = proc_at(s.slot);
        memory.put(proc_array + l.roster + std::uint64_t{at} * 4, s.slot);
        memory.put(proc + l.pid, s.pid);
        memory.put(proc + l.database, s.database);
        memory.put(proc + l.wait_event_info, s.wait_event);
        if (l.all_pgxact) {
            const Address entry = pgxact + std::uint64_t{s.slot} * *l.pgxact_bytes;
            memory.put(entry + *l.pgxact_xid, s.xid);
            memory.put(entry + *l.pgxact_xmin, s.xmin);
            memory.put(entry + *l.pgxact_flags, s.flags);
            memory.put(entry + *l.pgxact_subxids, s.subxids);
            return;
        }
        memory.put(xids + std::uint64_t{at} * 4, s.xid);
        memory.put(flags + at, s.flags);
        memory.put(subxids + std::uint64_t{at} * 2, s.subxids);
        memory.put(proc + *l.proc_xid, s.xid);
        memory.put(proc + *l.proc_xmin, s.xmin);
        memory.put(proc + *l.pgxactoff, at);
        memory.put(proc + *l.proc_status_flags, s.flags);
        memory.put(proc + *l.subxid_status, s.subxids);
    }
};

// Idle, writing with a savepoint, vacuuming, reading, prepared.
[[nodiscard]] inline std::vector<Session> some_sessions(const TestServer& server) {
    return {{2, 4100, 0, 0, 5, 0, 0},
            {3, 4101, 4990, 4980, 5, 0, 2},
            {7, 4102, 0, 4900, 5, 0x02, 0},
            {21, 4103, 0, 4970, 0, 0x01, 0, 0x01000004},
            {server.all() + 1, 0, 4950, 0, 6, 0, 0}};
}

} // namespace snapscope::mirror::test
