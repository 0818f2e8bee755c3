#include "server_words.hpp"

#include "mirror/server_image.hpp"

#include <fmt/format.h>

namespace snapscope {
namespace {

using mirror::Anatomy;
using mirror::load;
using mirror::RemoteMemory;
using mirror::ServerImage;

constexpr std::size_t most_looked_at = 64;

tl::unexpected<Error> refuse(std::string what) {
    return fail(Error{ErrorClass::unavailable, std::move(what),
                      "this build keeps its shared memory otherwise than PostgreSQL's own; use ebpf and sql"});
}

ServerWords words_of(const Anatomy& anatomy) {
    const auto& l = anatomy.layout;
    ServerWords words;
    words.slots = anatomy.all_proc_count;
    words.lock_state = anatomy.lock + mirror::lock_state;
    if (l.all_pgxact) {
        words.xid = {anatomy.pgxact + *l.pgxact_xid, *l.pgxact_bytes, words.slots};
        words.xmin = {anatomy.pgxact + *l.pgxact_xmin, *l.pgxact_bytes, words.slots};
    } else {
        words.xid = {anatomy.xids, sizeof(std::uint32_t), words.slots};
        words.xmin = {anatomy.all_procs + *l.proc_xmin, l.pgproc_bytes, words.slots};
        words.array_offset = WordArray{anatomy.all_procs + *l.pgxactoff, l.pgproc_bytes, words.slots};
    }
    return words;
}

Result<SlotNumber> find_number(const ServerImage& image, const Anatomy& anatomy) {
    const bool in_proc = anatomy.layout.pgprocno.has_value();
    const char* variable = in_proc ? "MyProc" : "MyProcNumber";
    const auto address = image.address_of(variable);
    if (!address)
        return refuse(std::string("the server's binary does not export ") + variable);
    return in_proc ? SlotNumber{0, *address, *anatomy.layout.pgprocno} : SlotNumber{*address, 0, 0};
}

// One process: true when it has a slot and finds itself there.
Result<bool> finds_itself(const ServerWords& words, const Anatomy& anatomy, mirror::Address my_proc, pid_t pid) {
    const auto proc = load<mirror::Address>(RemoteMemory(pid), my_proc);
    const auto number = slot_of(words, pid);
    if (!proc || *proc == 0 || !number)
        return false; // ended, or has no slot yet
    if (*proc != anatomy.all_procs + std::uint64_t{*number} * anatomy.layout.pgproc_bytes)
        return refuse(fmt::format("process {} says slot {} and is elsewhere", pid, *number));
    return true;
}

Status confirm_numbers(const ServerImage& image, const Anatomy& anatomy, const ServerWords& words) {
    const auto my_proc = image.address_of("MyProc");
    if (!my_proc)
        return refuse("the server's binary does not export MyProc");
    std::size_t confirmed = 0;
    for (const pid_t child : image.proc().children_of(image.pid())) {
        const auto right = finds_itself(words, anatomy, *my_proc, child);
        if (!right)
            return fail(right.error());
        confirmed += *right ? 1U : 0U;
        if (confirmed == most_looked_at)
            break;
    }
    return confirmed > 0 ? Status{} : refuse("no process of the server confirms where slots lie");
}

} // namespace

std::optional<std::uint32_t> slot_of(const ServerWords& words, pid_t pid) {
    const RemoteMemory memory(pid);
    std::uint64_t at = words.number.address;
    if (at == 0) {
        const auto proc = load<std::uint64_t>(memory, words.number.pointer);
        if (!proc || *proc == 0)
            return std::nullopt;
        at = *proc + words.number.offset;
    }
    const auto number = load<std::uint32_t>(memory, at);
    return number && *number < words.slots ? std::optional(*number) : std::nullopt;
}

ServerWords patched_words(const snapscope_header& header) {
    ServerWords words;
    words.slots = header.slots;
    words.xid = {header.pgxact_address, header.pgxact_stride, header.slots};
    words.xmin = {header.pgxact_address + mirror::table_layout(mirror::first_major).pgxact_xmin.value(),
                  header.pgxact_stride, header.slots};
    words.lock_state = header.lock_address + mirror::lock_state;
    return words;
}

Result<StockWords> stock_words(const ProcFs& proc, pid_t postmaster) {
    const auto image = ServerImage::open(proc, postmaster);
    if (!image)
        return fail(image.error());
    const auto anatomy = image->locate();
    if (!anatomy)
        return fail(anatomy.error());
    ServerWords words = words_of(*anatomy);
    const auto number = find_number(*image, *anatomy);
    if (!number)
        return fail(number.error());
    words.number = *number;
    SNAPSCOPE_TRY(confirm_numbers(*image, *anatomy, words));
    return StockWords{words, anatomy->layout};
}

} // namespace snapscope
