#include "server_words.hpp"

#include <cerrno>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>

namespace snapscope {
namespace {

constexpr std::uint32_t most_slots = 1U << 19U;
constexpr std::size_t most_looked_at = 64;

tl::unexpected<Error> refuse(std::string what) {
    return fail(Error{ErrorClass::unavailable, std::move(what),
                      "this build keeps its shared memory otherwise than PostgreSQL's own; use ebpf and sql"});
}

template <typename T> Result<T> read_word(pid_t pid, std::uint64_t address) {
    T value{};
    SNAPSCOPE_TRY(read_memory(pid, address, &value, sizeof value));
    return value;
}

Result<std::uint64_t> load_base(const ProcFs& proc, pid_t pid, const ElfSymbols& symbols) {
    struct stat file {};
    const auto maps = read_text(proc.path(pid, "maps"), std::size_t{64} << 20U);
    if (!maps || ::stat(proc.path(pid, "exe").c_str(), &file) != 0)
        return fail(Error{ErrorClass::unavailable, "no right to read the server's memory map",
                          "run as the server's user or with CAP_SYS_PTRACE"});
    const auto start = find_mapped_start(
        *maps, {::major(file.st_dev), ::minor(file.st_dev), file.st_ino, proc.link(pid, "exe").value_or("")});
    if (!start)
        return refuse("the server's binary is not mapped in the server");
    return *start - symbols.first_page;
}

class Finder {
  public:
    Finder(const ProcFs& proc, pid_t pid, const ElfSymbols& symbols, const StockLayout& layout)
        : proc_(proc), pid_(pid), symbols_(symbols), layout_(layout) {}

    Result<ServerWords> find() {
        const auto base = load_base(proc_, pid_, symbols_);
        if (!base)
            return fail(base.error());
        base_ = *base;
        for (const char* name : {"ProcGlobal", "MyProc", "MainLWLockArray"})
            if (symbols_.find(name) == nullptr)
                return refuse(std::string("the server's binary does not export ") + name);
        SNAPSCOPE_TRY(read_header());
        SNAPSCOPE_TRY(find_lock());
        SNAPSCOPE_TRY(find_number());
        SNAPSCOPE_TRY(confirm_numbers());
        return words_;
    }

  private:
    [[nodiscard]] std::uint64_t address(const char* name) const { return base_ + symbols_.find(name)->value; }

    Status read_header() {
        const auto header = read_word<std::uint64_t>(pid_, address("ProcGlobal"));
        if (!header)
            return fail(header.error());
        const auto procs = read_word<std::uint64_t>(pid_, *header + stock::all_procs);
        const auto second = read_word<std::uint64_t>(pid_, *header + stock::xids);
        const auto count = read_word<std::uint32_t>(pid_, *header + layout_.proc_count);
        if (!procs || !second || !count)
            return refuse("ProcGlobal points nowhere");
        if (*count == 0 || *count > most_slots)
            return refuse(fmt::format("implausible number of slots ({})", *count));
        procs_ = *procs;
        words_.slots = *count;
        if (layout_.array_offset) {
            words_.xid = {*second, stock::xid_bytes, *count};
            words_.xmin = {procs_ + layout_.proc_xmin, layout_.proc_bytes, *count};
            words_.array_offset = WordArray{procs_ + *layout_.array_offset, layout_.proc_bytes, *count};
        } else {
            words_.xid = {*second, stock::pgxact_bytes, *count};
            words_.xmin = {*second + stock::pgxact_xmin, stock::pgxact_bytes, *count};
        }
        return {};
    }

    Status find_lock() {
        const auto locks = read_word<std::uint64_t>(pid_, address("MainLWLockArray"));
        if (!locks)
            return fail(locks.error());
        const std::uint64_t lock = *locks + std::uint64_t{stock::proc_array_lock} * stock::lock_bytes;
        const auto tranche = read_word<std::uint16_t>(pid_, lock + stock::lock_tranche);
        if (!tranche || *tranche != stock::proc_array_lock)
            return refuse(fmt::format("lock {} carries the tranche {}", stock::proc_array_lock, tranche.value_or(0)));
        words_.lock_state = lock + stock::lock_state;
        return {};
    }

    Status find_number() {
        if (layout_.proc_number)
            words_.number = {0, address("MyProc"), *layout_.proc_number};
        else if (symbols_.find("MyProcNumber") != nullptr)
            words_.number.address = address("MyProcNumber");
        else
            return refuse("the server's binary does not export MyProcNumber");
        return {};
    }

    // One process: true when it has a slot and finds itself there.
    Result<bool> confirm(pid_t pid) const {
        const auto proc = read_word<std::uint64_t>(pid, address("MyProc"));
        if (!proc || *proc == 0)
            return false; // ended, or has no slot yet
        const auto number =
            read_word<std::uint32_t>(pid, layout_.proc_number ? *proc + *layout_.proc_number : words_.number.address);
        if (!number)
            return false;
        if (*proc != procs_ + std::uint64_t{*number} * layout_.proc_bytes || *number >= words_.slots)
            return refuse(fmt::format("process {} says slot {} and is elsewhere", pid, *number));
        return true;
    }

    Status confirm_numbers() const {
        std::size_t confirmed = 0;
        for (const pid_t child : proc_.children_of(pid_)) {
            const auto right = confirm(child);
            if (!right)
                return fail(right.error());
            confirmed += *right ? 1U : 0U;
            if (confirmed == most_looked_at)
                break;
        }
        return confirmed > 0 ? Status{} : refuse("no process of the server confirms where slots lie");
    }

    const ProcFs& proc_;
    pid_t pid_;
    const ElfSymbols& symbols_;
    const StockLayout& layout_;
    std::uint64_t base_ = 0, procs_ = 0;
    ServerWords words_;
};

} // namespace

Status read_memory(pid_t pid, std::uint64_t address, void* into, std::size_t bytes) {
    const iovec here{into, bytes};
    // An address of the other process; it is never dereferenced here.
    const iovec there{reinterpret_cast<void*>(address), bytes}; // NOLINT(performance-no-int-to-ptr)
    if (::process_vm_readv(pid, &here, 1, &there, 1, 0) == static_cast<ssize_t>(bytes))
        return {};
    auto error = fail_errno("cannot read the server's memory", errno).value();
    error.error_class = ErrorClass::unavailable;
    error.hint = "run as the server's user or with CAP_SYS_PTRACE";
    return fail(std::move(error));
}

std::optional<std::uint32_t> slot_of(const ServerWords& words, pid_t pid) {
    std::uint64_t at = words.number.address;
    if (at == 0) {
        const auto proc = read_word<std::uint64_t>(pid, words.number.pointer);
        if (!proc || *proc == 0)
            return std::nullopt;
        at = *proc + words.number.offset;
    }
    const auto number = read_word<std::uint32_t>(pid, at);
    return number && *number < words.slots ? std::optional(*number) : std::nullopt;
}

ServerWords patched_words(const snapscope_header& header) {
    ServerWords words;
    words.slots = header.slots;
    words.xid = {header.pgxact_address, header.pgxact_stride, header.slots};
    words.xmin = {header.pgxact_address + stock::pgxact_xmin, header.pgxact_stride, header.slots};
    words.lock_state = header.lock_address + stock::lock_state;
    return words;
}

const std::vector<std::string>& word_symbols() {
    static const std::vector<std::string> names{"ProcGlobal", "MyProc", "MainLWLockArray", "MyProcNumber"};
    return names;
}

Result<ServerWords> stock_words(const ProcFs& proc, pid_t postmaster, const ElfSymbols& symbols,
                                const StockLayout& layout) {
    return Finder(proc, postmaster, symbols, layout).find();
}

} // namespace snapscope
