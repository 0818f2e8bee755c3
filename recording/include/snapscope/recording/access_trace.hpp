// Every access to the memory that a snapshot touches, in the order in which they
// happened: what an emulated machine records (source `emulate`).  A run's folder
// holds it in the file `accesses`.
//
// Accesses of one CPU to one line by one function, of one kind, between which
// nobody else touched that line, are one entry with a count.  So nothing that a
// coherence protocol or a count of accesses could tell apart is lost.
#pragma once

#include <snapscope/base/result.hpp>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

inline constexpr const char* access_trace_file = "accesses";

struct TracedRange {
    std::string name; // PGXACT, ProcArrayLock, ...
    std::uint64_t address = 0, bytes = 0;
};

// mark: a function was entered; `target` says which, an index of `marks`.
enum class TracedKind : std::uint8_t { read, write, locked, mark };
inline constexpr std::size_t traced_access_kinds = 3;

struct TracedAccess {
    std::uint32_t target = 0; // index of `lines`, or of `marks`
    std::uint32_t count = 1;
    std::uint16_t function = 0; // index of `functions`
    std::uint8_t cpu = 0;
    TracedKind kind = TracedKind::read;

    friend bool operator==(const TracedAccess&, const TracedAccess&) = default;
};

struct AccessTrace {
    std::string topology; // 2x2: sockets x cores, or sockets x last-level caches x cores
    std::uint64_t barrier_instructions = 0;
    std::vector<TracedRange> ranges;
    std::vector<std::uint64_t> lines; // addresses of their first bytes
    std::vector<std::string> functions, marks;
    std::vector<TracedAccess> accesses;
    std::uint64_t window_begin = 0, window_end = 0; // of `accesses`: all clients were at work
};

[[nodiscard]] std::string encode_access_trace(const AccessTrace& trace);
// Strict: every index is one that exists, and nothing follows the last entry.
[[nodiscard]] Result<AccessTrace> decode_access_trace(std::string_view bytes);

[[nodiscard]] Status write_access_trace(const AccessTrace& trace, const std::filesystem::path& file);
[[nodiscard]] Result<AccessTrace> read_access_trace(const std::filesystem::path& file);

} // namespace snapscope
