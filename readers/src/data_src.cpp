#include <snapscope/readers/data_src.hpp>

#include <array>
#include <utility>

namespace snapscope {
namespace {

using Bit = std::pair<std::uint32_t, const char*>;

constexpr std::uint32_t not_told = 1; // op, lvl, snoop, lock, dtlb

constexpr std::uint32_t op_load = 0x2, op_store = 0x4;
constexpr std::array ops{Bit{op_load, "LOAD"}, Bit{op_store, "STORE"}, Bit{0x8, "PFETCH"}, Bit{0x10, "EXEC"}};

constexpr std::uint32_t lvl_hit = 0x2, lvl_miss = 0x4, lvl_l1 = 0x8;
constexpr std::uint32_t lvl_remote = 0x100 | 0x200 | 0x400 | 0x800;  // remote RAM and caches, 1 and 2 hops
constexpr std::uint32_t lvl_local = 0x8 | 0x10 | 0x20 | 0x40 | 0x80; // L1, LFB, L2, L3, local RAM
constexpr std::array levels{Bit{0x8, "L1"},
                            Bit{0x10, "LFB"},
                            Bit{0x20, "L2"},
                            Bit{0x40, "L3"},
                            Bit{0x80, "Local RAM"},
                            Bit{0x100, "Remote RAM (1 hop)"},
                            Bit{0x200, "Remote RAM (2 hops)"},
                            Bit{0x400, "Remote Cache (1 hop)"},
                            Bit{0x800, "Remote Cache (2 hops)"},
                            Bit{0x1000, "I/O"},
                            Bit{0x2000, "Uncached"}};

// lvl_num: a number, not bits.  perf prefers it to lvl where it is there.
constexpr std::uint32_t num_l1 = 0x1, num_unknown = 0xf;
constexpr std::array numbers{Bit{0x1, "L1"},       Bit{0x2, "L2"},  Bit{0x3, "L3"},  Bit{0x4, "L4"},
                             Bit{0x8, "Uncached"}, Bit{0x9, "CXL"}, Bit{0xa, "I/O"}, Bit{0xb, "Any cache"},
                             Bit{0xc, "LFB/MAB"},  Bit{0xd, "RAM"}, Bit{0xe, "PMEM"}};

constexpr std::uint32_t snoop_hitm = 0x10;
constexpr std::array snoops{Bit{0x2, "None"}, Bit{0x4, "Hit"}, Bit{0x8, "Miss"}, Bit{snoop_hitm, "HitM"}};
constexpr std::uint32_t snoopx_peer = 0x2;
constexpr std::uint32_t blocked = 0x2 | 0x4; // by data, by address
constexpr std::uint32_t hops_same_node = 1;  // another core of the same node; more are farther

template <std::size_t N> std::string words(std::uint32_t bits, const std::array<Bit, N>& names) {
    std::string out;
    for (const auto& [bit, name] : names)
        if ((bits & bit) != 0)
            out += (out.empty() ? "" : " or ") + std::string(name);
    return out;
}

} // namespace

DataSrc decode_data_src(std::uint64_t word) {
    const auto take = [&word](unsigned bits) {
        const auto value = static_cast<std::uint32_t>(word & ((std::uint64_t{1} << bits) - 1));
        word >>= bits;
        return value;
    };
    DataSrc out;
    out.op = take(5);
    out.lvl = take(14);
    out.snoop = take(5);
    out.lock = take(2);
    out.dtlb = take(7);
    out.lvl_num = take(4);
    out.remote = take(1);
    out.snoopx = take(2);
    out.blk = take(3);
    out.hops = take(3);
    return out;
}

bool is_load(const DataSrc& source) {
    return (source.op & op_load) != 0;
}

bool is_store(const DataSrc& source) {
    return (source.op & op_store) != 0;
}

Known is_hitm(const DataSrc& source) {
    if ((source.snoop & snoop_hitm) != 0)
        return Known::yes;
    return (source.snoop & ~not_told) == 0 ? Known::not_told : Known::no;
}

bool is_peer(const DataSrc& source) {
    return (source.snoopx & snoopx_peer) != 0;
}

Known is_remote(const DataSrc& source) {
    if (source.hops == hops_same_node)
        return Known::no;
    if (source.remote != 0 || (source.lvl & lvl_remote) != 0 || source.hops > hops_same_node)
        return Known::yes;
    const bool told = (source.lvl & lvl_local) != 0 || (source.lvl_num != 0 && source.lvl_num != num_unknown);
    return told ? Known::no : Known::not_told;
}

Known is_locked(const DataSrc& source) {
    if ((source.lock & 0x2U) != 0)
        return Known::yes;
    return (source.lock & not_told) != 0 ? Known::not_told : Known::no;
}

bool is_blocked(const DataSrc& source) {
    return (source.blk & blocked) != 0;
}

bool left_first_level(const DataSrc& source) {
    if (source.lvl_num != 0 && source.lvl_num != num_unknown)
        return source.lvl_num != num_l1;
    return (source.lvl & ((lvl_local & ~lvl_l1) | lvl_remote)) != 0;
}

std::string op_text(const DataSrc& source) {
    const std::string out = words(source.op, ops);
    return out.empty() ? "N/A" : out;
}

std::string level_text(const DataSrc& source) {
    std::string out;
    if (source.lvl_num != 0 && source.lvl_num != num_unknown)
        for (const auto& [number, name] : numbers)
            if (number == source.lvl_num)
                out = name;
    if (out.empty())
        out = words(source.lvl, levels);
    if (out.empty())
        return "N/A";
    if (source.remote != 0 && !out.starts_with("Remote"))
        out = "Remote " + out;
    if ((source.lvl & lvl_hit) != 0)
        out += " hit";
    else if ((source.lvl & lvl_miss) != 0)
        out += " miss";
    return out;
}

std::string snoop_text(const DataSrc& source) {
    const std::string out = words(source.snoop, snoops);
    return out.empty() ? "N/A" : out;
}

} // namespace snapscope
