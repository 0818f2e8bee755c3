// The word `data_src` of a memory sample (union perf_mem_data_src,
// linux/perf_event.h): where a load was answered from.  Used by the reader of
// `perf script` and by the source `hitm`.
#pragma once

#include <cstdint>
#include <string>

namespace snapscope {

// The raw bit fields.  Bit 0 of op, lvl, snoop, lock and dtlb says N/A: the
// processor did not tell.
struct DataSrc {
    std::uint32_t op = 0, lvl = 0, snoop = 0, lock = 0, dtlb = 0;
    std::uint32_t lvl_num = 0, remote = 0, snoopx = 0, blk = 0, hops = 0;

    friend bool operator==(const DataSrc&, const DataSrc&) = default;
};

[[nodiscard]] DataSrc decode_data_src(std::uint64_t word);

enum class Known { no, yes, not_told };

[[nodiscard]] bool is_load(const DataSrc& source);
[[nodiscard]] bool is_store(const DataSrc& source);
// Whether the line came modified out of another cache.  That can stand beside
// an L1 hit (some ARM cores).
[[nodiscard]] Known is_hitm(const DataSrc& source);
// Whether it was another cache's line at all, clean or dirty (snoopx: peer).
[[nodiscard]] bool is_peer(const DataSrc& source);
// Whether the answer came from another node or socket.
[[nodiscard]] Known is_remote(const DataSrc& source);
// lock 1 is "not told", 2 is locked.
[[nodiscard]] Known is_locked(const DataSrc& source);
// It waited for an earlier store's data or address.
[[nodiscard]] bool is_blocked(const DataSrc& source);
// It was answered from beyond the first level, as far as the processor told.
[[nodiscard]] bool left_first_level(const DataSrc& source);

// In perf's words: "LOAD", "L3 hit", "HitM", "N/A".
[[nodiscard]] std::string op_text(const DataSrc& source);
[[nodiscard]] std::string level_text(const DataSrc& source);
[[nodiscard]] std::string snoop_text(const DataSrc& source);

} // namespace snapscope
