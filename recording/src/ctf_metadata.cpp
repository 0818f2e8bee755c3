#include "ctf_metadata.hpp"

#include <snapscope/base/text.hpp>

#include <fmt/format.h>
#include <map>
#include <vector>

namespace snapscope::ctf {
namespace {

constexpr std::int64_t ns_per_s = 1'000'000'000;

// The fields of an event class, in the order of Word; names from abi.h.
struct ClassText {
    const char* name;
    const char* a = "";
    const char* b = "";
    const char* c = "";
    const char* d = "";
    const char* outcome_type = "outcome_t";
    const char* outcome = "outcome";
    const char* b_type = "u32";
};

constexpr std::array<ClassText, SNAPSCOPE_EV_COUNT> class_texts = {{
    {"record", "a", "b", "c", "d", "u8"},
    {"snapshot_start"},
    {"snapshot_done", "xcnt", "subxcnt", "xmin", "xmax"},
    {"rebuild", "xcnt", "subxcnt", "generation", "duration_ticks"},
    {"wait", "duration_ticks", "wait_kind", "", "", "", "", "wait_kind_t"},
    {"copy", "xids", "subxids", "generation", "own_xids_dropped"},
    {"invalidate", "generation", "", "", "", "reason_t", "reason"},
    {"xid_assigned", "xid", "subtransaction"},
    {"xact_end", "xid"},
    {"xmin_set", "xmin"},
    {"xmin_cleared", "xmin_before", "xmin_after"},
    {"slot_taken", "owner_pid", "database_oid"},
    {"slot_released", "owner_pid"},
    {"ring_on", "snapshots_before_low", "snapshots_before_high"},
    {"horizon_refresh", "horizon"},
}};

constexpr std::string_view types = R"(
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 16; align = 8; signed = false; } := u16;
typealias integer { size = 16; align = 8; signed = false; base = 16; } := flags_t;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = false; map = clock.monotonic.value; } := ns_t;
)";

// `flags` are SNAPSCOPE_FLAG_*, named in a comment: CTF 1.8 has no sets of bits.
constexpr std::string_view enums = R"(
typealias enum : u8 { none = 0, reused = 1, rebuilt = 2, private_scan = 3 } := outcome_t;
typealias enum : u8 {
    none = 0, xact_end = 1, prepared_end = 2, proc_add_xid = 3, subxact_abort = 4, standby_expire = 5,
    standby_assign = 6, recovery_info = 7, recovery_end = 8, vacuum_flag = 9, decoding_flag = 10, restored_xmin = 11,
    slot_xmin = 12
} := reason_t;
typealias enum : u32 { none = 0, lock = 1, builder = 2 } := wait_kind_t;
/* flags: 0x1 suboverflowed, 0x2 taken during recovery, 0x4 waited, 0x8 copied without the lock,
   0x10 kept; bits 8 to 15: times that the copy was wiped while it was read */
)";

constexpr std::string_view stream_text = R"(
stream {{
    id = {};
    packet.context := struct {{
        ns_t timestamp_begin;
        ns_t timestamp_end;
        u64 content_size;
        u64 packet_size;
        u64 events_discarded;
        u32 slot;
        u32 pid;
    }};
    event.header := struct {{ u8 id; ns_t timestamp; }};
    event.context := struct {{ u16 cpu; }};
}};
)";

// A TSDL string literal: bytes that are no UTF-8 become U+FFFD, as does NUL,
// which no reader keeps; control characters become octal escapes.
std::string quote(std::string_view text) {
    std::string out = "\"";
    for (const char c : to_utf8(text)) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\')
            out += {'\\', c};
        else if (byte == 0)
            out += "\xef\xbf\xbd";
        else if (byte < 0x20 || byte == 0x7f)
            out += fmt::format("\\{:03o}", byte);
        else
            out += c;
    }
    return out + '"';
}

std::optional<std::string> unquote(std::string_view text) {
    if (text.size() < 2 || text.front() != '"' || text.back() != '"')
        return std::nullopt;
    text = text.substr(1, text.size() - 2);
    std::string out;
    while (!text.empty()) {
        const char c = text.front();
        if (c == '"')
            return std::nullopt;
        if (c != '\\') {
            out += c;
            text.remove_prefix(1);
        } else if (text.size() >= 2 && (text[1] == '"' || text[1] == '\\')) {
            out += text[1];
            text.remove_prefix(2);
        } else {
            const auto byte = text.size() < 4 ? std::nullopt : parse_integer<std::uint8_t>(text.substr(1, 3), 8);
            if (!byte)
                return std::nullopt;
            out += static_cast<char>(*byte);
            text.remove_prefix(4);
        }
    }
    return out;
}

std::string dashed(std::string_view id) {
    return fmt::format("{}-{}-{}-{}-{}", id.substr(0, 8), id.substr(8, 4), id.substr(12, 4), id.substr(16, 4),
                       id.substr(20, 12));
}

std::string field_text(const ClassText& text, unsigned word) {
    switch (word) {
    case word_type:
        return "u8 type;";
    case word_outcome:
        return fmt::format("{} {};", text.outcome_type, text.outcome);
    case word_lines:
        return "u16 lines;";
    case word_flags:
        return "flags_t flags;";
    case word_a:
        return fmt::format("u32 {};", text.a);
    case word_b:
        return fmt::format("{} {};", text.b_type, text.b);
    case word_c:
        return fmt::format("u32 {};", text.c);
    default:
        return fmt::format("u32 {};", text.d);
    }
}

// A name starts with its source, so that the kind of evidence stays with it.
std::string event_text(EventSource source, unsigned id) {
    std::string fields;
    for (unsigned word = word_type; word <= word_d; word <<= 1U)
        if ((class_words[id] & word) != 0)
            fields += " " + field_text(class_texts[id], word);
    return fmt::format("event {{ name = \"{}:{}\"; id = {}; stream_id = {}; fields := struct {{{} }}; }};\n",
                       source_name(source), class_texts[id].name, id, static_cast<unsigned>(source), fields);
}

using Assignments = std::map<std::string, std::string, std::less<>>;

// The "name = value;" lines inside `block { ... };`.
Assignments read_block(std::string_view text, std::string_view block) {
    Assignments out;
    bool inside = false;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find('\n'), text.size());
        const std::string_view line = trim(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
        if (line == "};")
            inside = false;
        else if (line == std::string(block) + " {")
            inside = true;
        const std::size_t equals = line.find(" = ");
        if (inside && equals != std::string_view::npos && line.ends_with(';'))
            out.emplace(line.substr(0, equals), line.substr(equals + 3, line.size() - equals - 4));
    }
    return out;
}

template <class T> std::optional<T> number(const Assignments& block, std::string_view name) {
    const auto found = block.find(name);
    return found == block.end() ? std::nullopt : parse_integer<T>(found->second);
}

std::optional<std::string> text_of(const Assignments& block, std::string_view name) {
    const auto found = block.find(name);
    return found == block.end() ? std::nullopt : unquote(found->second);
}

} // namespace

const char* source_name(EventSource source) {
    return source == EventSource::ring ? "ring" : "ebpf";
}

std::string stream_name(EventSource source, std::uint32_t slot) {
    return fmt::format("{}-{:05}", source_name(source), slot);
}

Result<Uuid> parse_uuid(std::string_view run_id) {
    Uuid uuid{};
    for (std::size_t i = 0; i < uuid.size(); ++i) {
        const auto byte = run_id.size() == 32 ? parse_integer<std::uint8_t>(run_id.substr(2 * i, 2), 16) : std::nullopt;
        if (!byte)
            return fail(fmt::format("a trace needs a run id of 32 hex digits, not \"{}\"", run_id));
        uuid[i] = *byte;
    }
    return uuid;
}

std::string write_metadata(const EventTraceInfo& info) {
    // Seconds and the rest of them; the rest is never negative.
    std::int64_t seconds = info.wall_offset_ns / ns_per_s;
    std::int64_t rest = info.wall_offset_ns % ns_per_s;
    if (rest < 0) {
        rest += ns_per_s;
        --seconds;
    }
    std::string out = "/* CTF 1.8 */\n";
    out += fmt::format("env {{\n    domain = \"snapscope\";\n    trace_layout = {};\n    hostname = {};\n"
                       "    server_version = {};\n    postmaster_pid = {};\n}};\n",
                       layout_version, quote(info.host), quote(info.server_version), info.postmaster_pid);
    out += fmt::format("clock {{\n    name = \"monotonic\";\n    description = \"CLOCK_MONOTONIC\";\n"
                       "    freq = 1000000000;\n    offset_s = {};\n    offset = {};\n    absolute = true;\n}};\n",
                       seconds, rest);
    out += types;
    out += fmt::format("\ntrace {{\n    major = 1;\n    minor = 8;\n    uuid = \"{}\";\n    byte_order = le;\n"
                       "    packet.header := struct {{ u32 magic; u8 uuid[16]; u32 stream_id; }};\n}};\n",
                       dashed(info.run_id));
    out += enums;
    for (const EventSource source : {EventSource::ring, EventSource::ebpf}) {
        out += fmt::format(stream_text, static_cast<unsigned>(source));
        for (unsigned id = 0; id < class_words.size(); ++id)
            out += event_text(source, id);
    }
    return out;
}

Result<EventTraceInfo> read_metadata(std::string_view text) {
    const auto missing = [](std::string_view what) {
        return fail(fmt::format("no metadata of a snapscope trace: {} is missing or malformed", what));
    };
    if (!text.starts_with("/* CTF 1.8 */\n"))
        return missing("the first line \"/* CTF 1.8 */\"");
    const Assignments env = read_block(text, "env");
    const Assignments clock = read_block(text, "clock");
    const auto layout = number<unsigned>(env, "trace_layout");
    if (!layout)
        return missing("env.trace_layout");
    if (*layout != layout_version)
        return fail(fmt::format("the trace has layout {}, this snapscope reads layout {}", *layout, layout_version));

    auto uuid = text_of(read_block(text, "trace"), "uuid").value_or("");
    std::erase(uuid, '-');
    SNAPSCOPE_TRY(parse_uuid(uuid));
    const auto host = text_of(env, "hostname");
    const auto version = text_of(env, "server_version");
    const auto pid = number<std::uint32_t>(env, "postmaster_pid");
    const auto seconds = number<std::int64_t>(clock, "offset_s");
    const auto rest = number<std::int64_t>(clock, "offset");
    if (!host || !version || !pid)
        return missing("env.hostname, env.server_version or env.postmaster_pid");
    std::int64_t offset_ns = 0;
    if (!seconds || !rest || __builtin_mul_overflow(*seconds, ns_per_s, &offset_ns) ||
        __builtin_add_overflow(offset_ns, *rest, &offset_ns))
        return missing("clock.offset_s or clock.offset");
    return EventTraceInfo{uuid, *host, *version, *pid, offset_ns};
}

} // namespace snapscope::ctf
