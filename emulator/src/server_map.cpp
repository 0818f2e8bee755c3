#include "../shared/stream.h"
#include "run_program.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/emulator/server_map.hpp>

#include <array>
#include <fmt/format.h>
#include <unistd.h>

namespace snapscope::emulator {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr int first_major = 13;
constexpr int last_major = 18;
// Linux maps the first program of a process here when addresses are not randomised.
constexpr std::uint64_t program_base = 0x555555554000;
constexpr const char* none = "0xffffffffffffffff";
constexpr std::uint64_t lock_stride = 128; // of the array of all locks
constexpr std::uint64_t xid_gen_lock = 3;
constexpr std::uint64_t proc_array_lock = 4;

// Bytes of a structure, and offsets of fields in PROC_HDR and ProcArrayStruct.
struct Version {
    std::uint64_t proc_hdr_bytes, pgproc_bytes, count, roster;
};
constexpr std::array<Version, last_major - first_major + 1> versions{{{104, 856, 16, 40},
                                                                      {120, 880, 32, 40},
                                                                      {104, 880, 32, 40},
                                                                      {136, 880, 32, 40},
                                                                      {136, 888, 32, 36},
                                                                      {128, 832, 32, 36}}};
constexpr std::uint64_t roster_limit = 4; // maxProcs
constexpr std::uint64_t pgxact_bytes = 12;
constexpr std::uint64_t xid_counters_bytes = 64;
constexpr std::uint64_t lock_bytes = 16;
constexpr std::uint64_t copy_header_bytes = 128;
constexpr std::uint64_t copied_xids = 1 + 65; // a slot's, and its subxids

// A line of the guest's plan (guest/ranges.c).
struct Range {
    std::string name;
    std::string pointer; // a variable
    std::optional<std::uint64_t> field;
    std::uint64_t add = 0, head = 0, stride = 0;
    std::string count_pointer;
    std::uint64_t count_field = 0;
};

Result<std::string> line_of(const Range& range, const Symbols& symbols) {
    const auto offset = [&](const std::string& name) -> std::optional<std::uint64_t> {
        const auto found = symbols.variable(name);
        return found ? std::optional(*found - symbols.first_byte()) : std::nullopt;
    };
    const auto pointer = offset(range.pointer);
    const auto count = range.stride == 0 ? std::optional<std::uint64_t>(0) : offset(range.count_pointer);
    if (!pointer || !count)
        return fail(fmt::format("the server's binary has no symbol {}", !pointer ? range.pointer : range.count_pointer),
                    "give a build that is not stripped (--enable-debug, without strip)", ErrorClass::unavailable);
    return fmt::format("range {} {} {} {} {} {} {} {}", range.name, *pointer,
                       range.field ? std::to_string(*range.field) : none, range.add, range.head, range.stride, *count,
                       range.count_field);
}

std::vector<Range> ranges_of(int major, bool patched) {
    const Version& v = versions.at(static_cast<std::size_t>(major - first_major));
    const std::string variables = major >= 17 ? "TransamVariables" : "ShmemVariableCache";
    const auto by_proc = [&v](const char* name, std::uint64_t field, std::uint64_t stride) {
        return Range{name, "ProcGlobal", field, 0, 0, stride, "ProcGlobal", v.count};
    };
    std::vector<Range> out{
        {"ProcArrayLock", "MainLWLockArray", {}, proc_array_lock * lock_stride, lock_bytes, 0, {}, 0},
        {"XidGenLock", "MainLWLockArray", {}, xid_gen_lock * lock_stride, lock_bytes, 0, {}, 0},
        {"xid_counters", variables, {}, 0, xid_counters_bytes, 0, {}, 0},
        {"ProcArray", "procArray", {}, 0, v.roster, sizeof(int), "procArray", roster_limit},
        {"ProcGlobal", "ProcGlobal", {}, 0, v.proc_hdr_bytes, 0, {}, 0},
    };
    if (major == first_major) {
        out.push_back(by_proc("PGXACT", 8, pgxact_bytes));
    } else {
        out.push_back(by_proc("xids", 8, 4));
        out.push_back(by_proc("subxidStates", 16, 2));
        out.push_back(by_proc("statusFlags", 24, 1));
    }
    out.push_back(by_proc("PGPROC", 0, v.pgproc_bytes));
    if (patched) // its xids are padded to 128 bytes, so a last few of the subxids are left out
        out.push_back({"snapshot_copy",
                       "SnapshotCache",
                       {},
                       0,
                       copy_header_bytes,
                       copied_xids * sizeof(int),
                       "procArray",
                       roster_limit});
    return out;
}

Result<std::string> asked(const fs::path& program, const char* option) {
    Command command;
    command.argv = {program.string(), option};
    auto text = run_program(std::move(command), 30s, nullptr, "cannot run " + program.string());
    if (!text)
        return fail(text.error());
    return std::string(trim(*text));
}

// "postgres (PostgreSQL) 13.16"
Status take_version(ServerMap& map) {
    const auto text = asked(map.binary, "--version");
    if (!text)
        return fail(text.error());
    const std::size_t at = text->find(") ");
    map.version = at == std::string::npos ? *text : text->substr(at + 2);
    const auto major = parse_integer<int>(map.version.substr(0, map.version.find_first_not_of("0123456789")));
    if (!major || *major < first_major || *major > last_major)
        return fail(fmt::format("the proc array of PostgreSQL {} is not known here", map.version),
                    fmt::format("versions {} to {} are", first_major, last_major), ErrorClass::unavailable);
    map.major = *major;
    return {};
}

Status take_marks(ServerMap& map) {
    for (const char* name : {"GetSnapshotData", "ProcArrayAdd", "ProcArrayRemove"}) {
        const auto found = map.symbols.function(name);
        if (!found)
            return fail(fmt::format("the server's binary has no symbol {}", name), "give a build that is not stripped",
                        ErrorClass::unavailable);
        map.mark_addresses.push_back(*found - map.symbols.first_byte() + map.base);
    }
    if (!map.patched)
        return {};
    const auto nested = call_sites(map.binary, map.symbols, {"SnapScopeGetSnapshot", "TracedSnapshot", "UnheardScan"},
                                   "GetSnapshotData");
    if (!nested)
        return fail(nested.error());
    if (nested->empty() || nested->size() > SNAPSCOPE_MARKS_MAX - map.mark_addresses.size())
        return fail(
            fmt::format("the server's binary calls GetSnapshotData from its own code at {} places", nested->size()),
            "build it as patched-pg/build/build.sh does");
    for (const std::uint64_t site : *nested)
        map.mark_addresses.push_back(site - map.symbols.first_byte() + map.base);
    return {};
}

} // namespace

std::string ServerMap::function_at(std::uint64_t pc) const {
    return symbols.function_at(pc - base + symbols.first_byte());
}

Result<ServerMap> describe_server(const fs::path& prefix) {
    ServerMap map;
    map.prefix = prefix;
    map.binary = prefix / "bin" / "postgres";
    map.pgbench = prefix / "bin" / "pgbench";
    for (const fs::path& program : {map.binary, map.pgbench, prefix / "bin" / "pg_config"})
        if (::access(program.c_str(), X_OK) != 0)
            return fail(fmt::format("there is no program {}", program.string()),
                        "give --server the folder that a PostgreSQL is installed under", ErrorClass::usage);
    SNAPSCOPE_TRY(take_version(map));
    const auto share = asked(prefix / "bin" / "pg_config", "--sharedir");
    const auto library = asked(prefix / "bin" / "pg_config", "--pkglibdir");
    if (!share || !library)
        return fail(!share ? share.error() : library.error());
    map.share = *share;
    map.library = *library;
    auto symbols = Symbols::read(map.binary);
    if (!symbols)
        return fail(symbols.error());
    map.symbols = std::move(*symbols);
    map.base = map.symbols.relocatable() ? program_base : map.symbols.first_byte();
    map.patched = map.symbols.variable("SnapshotCache").has_value();
    SNAPSCOPE_TRY(take_marks(map));
    for (const Range& range : ranges_of(map.major, map.patched)) {
        auto line = line_of(range, map.symbols);
        if (!line)
            return fail(line.error());
        map.ranges.push_back(std::move(*line));
    }
    return map;
}

} // namespace snapscope::emulator
