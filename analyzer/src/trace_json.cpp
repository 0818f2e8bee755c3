#include "trace_json.hpp"

#include <snapscope/base/text.hpp>

#include <fmt/format.h>
#include <iterator>

namespace snapscope {

std::string& TraceArgs::add(std::string_view key) {
    if (!entries_.empty())
        entries_ += ',';
    return entries_.append(json_quote(key)).append(":");
}

TraceArgs& TraceArgs::number(std::string_view key, std::uint64_t value) {
    fmt::format_to(std::back_inserter(add(key)), "{}", value);
    return *this;
}

TraceArgs& TraceArgs::number(std::string_view key, double value) {
    fmt::format_to(std::back_inserter(add(key)), "{:.10g}", value);
    return *this;
}

TraceArgs& TraceArgs::text(std::string_view key, std::string_view value) {
    add(key) += json_quote(value);
    return *this;
}

TraceArgs& TraceArgs::flag(std::string_view key, bool value) {
    add(key) += value ? "true" : "false";
    return *this;
}

std::string fixed_microseconds(std::int64_t ns) {
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

std::string slice_json(TraceThread at, std::string_view name, std::int64_t ts, std::int64_t dur,
                       const TraceArgs& args) {
    return fmt::format(R"({{"ph":"X","name":{},"pid":{},"tid":{},"ts":{}.{:03},"dur":{}.{:03},"args":{}}})",
                       json_quote(name), at.pid, at.tid, ts / 1000, ts % 1000, dur / 1000, dur % 1000, args.json());
}

std::string instant_json(TraceThread at, std::string_view name, std::int64_t ts, const TraceArgs& args) {
    return fmt::format(R"({{"ph":"i","s":"t","name":{},"pid":{},"tid":{},"ts":{},"args":{}}})", json_quote(name),
                       at.pid, at.tid, fixed_microseconds(ts), args.json());
}

std::string process_instant_json(std::uint32_t pid, std::string_view name, std::int64_t ts, const TraceArgs& args) {
    return fmt::format(R"({{"ph":"i","s":"p","name":{},"pid":{},"ts":{},"args":{}}})", json_quote(name), pid,
                       fixed_microseconds(ts), args.json());
}

std::string async_json(char phase, TraceThread at, std::string_view category, std::uint64_t id, std::string_view name,
                       std::int64_t ts, const TraceArgs& args) {
    return fmt::format(R"({{"ph":"{}","cat":{},"id":"0x{:x}","name":{},"pid":{},"tid":{},"ts":{},"args":{}}})", phase,
                       json_quote(category), id, json_quote(name), at.pid, at.tid, fixed_microseconds(ts), args.json());
}

std::string counter_json(std::uint32_t pid, std::string_view name, std::int64_t ts, const TraceArgs& args) {
    return fmt::format(R"({{"ph":"C","name":{},"pid":{},"ts":{},"args":{}}})", json_quote(name), pid,
                       fixed_microseconds(ts), args.json());
}

std::string metadata_json(TraceThread at, std::string_view name, const TraceArgs& args) {
    return fmt::format(R"({{"ph":"M","name":{},"pid":{},"tid":{},"args":{}}})", json_quote(name), at.pid, at.tid,
                       args.json());
}

} // namespace snapscope
