// One event of a trace as the check sees it: the fields that rules speak of,
// each with its place.
#pragma once

#include "json_scanner.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace snapscope {

enum class TraceField { ph, name, cat, ts, dur, pid, tid, id, s, bp, args, count };

inline constexpr std::array<const char*, static_cast<std::size_t>(TraceField::count)> trace_field_names{
    "ph", "name", "cat", "ts", "dur", "pid", "tid", "id", "s", "bp", "args"};

struct TraceEvent {
    enum class Kind { absent, string, number, literal, object, array };
    struct Value {
        Kind kind = Kind::absent;
        std::uint64_t offset = 0;
        std::string text;
    };
    struct Arg {
        std::string key;
        Value value;
    };
    static constexpr std::size_t kept_args = 1024;

    std::uint64_t index = 0;
    std::uint64_t offset = 0;
    std::array<Value, static_cast<std::size_t>(TraceField::count)> values;
    std::vector<Arg> args; // entries of args, the first kept_args
    std::uint64_t args_total = 0;
    std::string repeated_key; // a field that stands twice; empty for none

    [[nodiscard]] const Value& at(TraceField field) const { return values[static_cast<std::size_t>(field)]; }
    [[nodiscard]] bool has(TraceField field) const { return at(field).kind != Kind::absent; }
    // The text of a string field; empty when it is none.
    [[nodiscard]] std::string_view string(TraceField field) const;

    // Reads the event whose begin_object the scanner has just returned.
    [[nodiscard]] static Result<TraceEvent> read(JsonScanner& scanner, std::uint64_t index);
};

} // namespace snapscope
