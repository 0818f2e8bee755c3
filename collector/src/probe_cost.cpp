#include "probe_cost.hpp"

#include "stock_probes.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/collector/procfs.hpp>
#include <snapscope/collector/source.hpp>

#include <algorithm>
#include <ctime>
#include <optional>
#include <sstream>

// Functions that begin with one instruction of each kind, take what
// GetSnapshotData takes, and give it back.
#if defined(__x86_64__)
#define SNAPSCOPE_TOY(NAME, FIRST, LAST)                                                                               \
    extern "C" void* NAME(void*);                                                                                      \
    __asm__(".text\n.p2align 4\n.local " #NAME "\n.type " #NAME ", @function\n" #NAME ": " FIRST                       \
            "\n mov %rdi, %rax\n " LAST "\n ret\n.size " #NAME ", .-" #NAME "\n")
SNAPSCOPE_TOY(snapscope_toy_push, "push %rbp", "pop %rbp");
SNAPSCOPE_TOY(snapscope_toy_nop, "nop", "");
SNAPSCOPE_TOY(snapscope_toy_endbr, "endbr64", "");
SNAPSCOPE_TOY(snapscope_toy_other, "lea 1(%rdi), %rax", "");
#undef SNAPSCOPE_TOY
#else
static void* snapscope_toy_any(void* argument) {
    return argument;
}
#endif

namespace snapscope {
namespace {

constexpr std::size_t batches = 7;
constexpr std::size_t calls = 300;

using Toy = void* (*)(void*);

Toy toy_of(FirstInstruction kind) {
#if defined(__x86_64__)
    constexpr std::array<Toy, first_instructions> toys{snapscope_toy_push, snapscope_toy_nop, snapscope_toy_endbr,
                                                       snapscope_toy_other};
    return toys[static_cast<std::size_t>(kind)];
#else
    return snapscope_toy_any;
#endif
}

double thread_ns() {
    timespec now{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// ns a call, the median of batches.
double time_calls(Toy toy) {
    std::array<unsigned char, 256> snapshot{};
    std::array<double, batches> ns{};
    for (auto& batch : ns) {
        const double start = thread_ns();
        for (std::size_t i = 0; i < calls; ++i) {
            void* volatile given = toy(snapshot.data());
            (void)given;
        }
        batch = (thread_ns() - start) / static_cast<double>(calls);
    }
    std::ranges::nth_element(ns, ns.begin() + batches / 2);
    return ns[batches / 2];
}

struct Place {
    std::string file;
    std::uint64_t offset = 0;
};

// The file that FUNCTION was loaded from, and where in it.
Result<Place> place_of(Toy function) {
    const auto address = reinterpret_cast<std::uintptr_t>(function);
    std::istringstream maps(read_text("/proc/self/maps", std::size_t{64} << 20U).value_or(""));
    for (std::string line; std::getline(maps, line);) {
        std::istringstream fields(line);
        std::string range, rights, offset, device, inode, name;
        fields >> range >> rights >> offset >> device >> inode >> name;
        const auto dash = range.find('-');
        const auto start = parse_integer<std::uint64_t>(range.substr(0, dash), 16);
        const auto end = parse_integer<std::uint64_t>(range.substr(std::min(range.size(), dash + 1)), 16);
        const auto from = parse_integer<std::uint64_t>(offset, 16);
        if (start && end && from && address >= *start && address < *end)
            return Place{name, address - *start + *from};
    }
    return fail("this program does not find itself in its memory map");
}

Result<ProbeCost> measure(FirstInstruction kind) {
    const Toy toy = toy_of(kind);
    const auto place = place_of(toy);
    if (!place)
        return fail(place.error());
    // As on a server: its slot number is read through a pointer.
    static std::uint32_t number = 0;
    static std::uint32_t* pointer = &number;
    StockProbeOptions options;
    options.number = SlotNumber{0, reinterpret_cast<std::uint64_t>(&pointer), 0};
    options.rows = 1;
    options.fields_known = true;
    options.completion_count = 112;
    auto probes = StockProbes::load(options);
    if (!probes)
        return fail(probes.error());
    const double bare = time_calls(toy);
    SNAPSCOPE_TRY((*probes)->attach(place->file, {SNAPSCOPE_STOCK_SNAPSHOT, place->offset, kind}, 0));
    (*probes)->set_counting(true);
    const double entry = time_calls(toy);
    SNAPSCOPE_TRY((*probes)->attach(place->file, {SNAPSCOPE_STOCK_RETURN, place->offset, kind}, 0));
    const double pair = time_calls(toy);
    (*probes)->set_counting(false);
    const auto hits = (*probes)->hits();
    if (hits.own[SNAPSCOPE_STOCK_SNAPSHOT] != 2 * batches * calls ||
        hits.own[SNAPSCOPE_STOCK_RETURN] != batches * calls)
        return fail(Error{ErrorClass::unavailable, "probes on this program itself do not fire as often as they should",
                          "this kernel's uprobes do not work"});
    return ProbeCost{std::max(entry - bare, 0.0), std::max(pair - bare, 0.0)};
}

} // namespace

Result<ProbeCost> probe_cost(FirstInstruction kind) {
    static std::array<std::optional<ProbeCost>, first_instructions> known;
    auto& place = known[static_cast<std::size_t>(kind)];
    if (!place) {
        const auto cost = measure(kind);
        if (!cost)
            return fail(cost.error());
        place = *cost;
    }
    return *place;
}

} // namespace snapscope
