#include "trace_rules.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <string_view>

namespace snapscope {
namespace {

using Kind = TraceEvent::Kind;

constexpr std::int64_t open_ended = std::numeric_limits<std::int64_t>::max();
// What a hostile file may make the check remember.
constexpr std::size_t max_threads = std::size_t{1} << 20U;
constexpr std::size_t max_depth = std::size_t{1} << 12U;
constexpr std::size_t max_open = std::size_t{1} << 20U;
constexpr std::size_t shown_bytes = 40;

// Nanoseconds of "12.345" (microseconds, three fixed decimals, no sign).
std::optional<std::int64_t> fixed_microseconds(std::string_view text) {
    const auto dot = text.find('.');
    if (text.starts_with('-') || dot == std::string_view::npos || text.size() - dot != 4)
        return std::nullopt;
    const auto whole = parse_integer<std::int64_t>(text.substr(0, dot));
    const auto part = parse_integer<std::int64_t>(text.substr(dot + 1));
    if (!whole || !part || *whole < 0 || *whole > std::numeric_limits<std::int64_t>::max() / 4000)
        return std::nullopt;
    return *whole * 1000 + *part;
}

std::string microseconds(std::int64_t ns) {
    return fmt::format("{}.{:03}", ns / 1000, ns % 1000);
}

// A value of the file inside a message; whoever prints the message escapes it.
std::string shown(std::string_view text) {
    return text.size() <= shown_bytes ? std::string(text) : std::string(text.substr(0, shown_bytes)) + "...";
}

std::string id_text(const TraceEvent& event) {
    const auto& id = event.at(TraceField::id);
    return (id.kind == Kind::string ? "\"" : "") + id.text;
}

} // namespace

void TraceRules::broken(const TraceEvent& event, std::uint64_t offset, const char* rule, std::string message) {
    ++report_.violations_total;
    if (report_.violations.size() < reported_violations)
        report_.violations.push_back({event.index, offset, rule, std::move(message)});
}

std::optional<std::int64_t> TraceRules::time(const TraceEvent& event, TraceField field, const char* rule) {
    const auto& value = event.at(field);
    const char* name = trace_field_names[static_cast<std::size_t>(field)];
    if (value.kind == Kind::absent) {
        broken(event, event.offset, rule, fmt::format("{} is missing", name));
        return std::nullopt;
    }
    const auto ns = value.kind == Kind::number ? fixed_microseconds(value.text) : std::nullopt;
    if (!ns)
        broken(event, value.offset, rule,
               fmt::format("{} must be microseconds from 0 on with three fixed decimals, is {}", name,
                           value.kind == Kind::number ? shown(value.text) : "no number"));
    return ns;
}

std::optional<std::uint32_t> TraceRules::identity(const TraceEvent& event, TraceField field, bool required) {
    const auto& value = event.at(field);
    const char* name = trace_field_names[static_cast<std::size_t>(field)];
    if (value.kind == Kind::absent) {
        if (required)
            broken(event, event.offset, "id", fmt::format("{} is missing", name));
        return std::nullopt;
    }
    const auto id = value.kind == Kind::number ? parse_integer<std::uint32_t>(value.text) : std::nullopt;
    if (id && *id > 0)
        return id;
    broken(event, value.offset, "id",
           fmt::format("{} must be an integer above 0 and below 2^32, is {}", name,
                       value.kind == Kind::number ? shown(value.text) : "no number"));
    return std::nullopt;
}

// Each field is a string that is not empty (id may be a number).
bool TraceRules::words(const TraceEvent& event, std::initializer_list<TraceField> fields, const char* rule) {
    bool whole = true;
    for (const TraceField field : fields) {
        const auto& value = event.at(field);
        const bool number_id = field == TraceField::id && value.kind == Kind::number;
        if (number_id || (value.kind == Kind::string && !value.text.empty()))
            continue;
        whole = false;
        broken(
            event, value.kind == Kind::absent ? event.offset : value.offset, rule,
            fmt::format("{} must be a string that is not empty", trace_field_names[static_cast<std::size_t>(field)]));
    }
    return whole;
}

TraceRules::Thread* TraceRules::thread(const TraceEvent& event, std::optional<std::uint32_t> pid,
                                       std::optional<std::uint32_t> tid) {
    if (!pid || !tid)
        return nullptr;
    const std::uint64_t key = std::uint64_t{*pid} << 32U | *tid;
    if (threads_.size() >= max_threads && !threads_.contains(key)) {
        broken(event, event.offset, "id", fmt::format("more than {} threads", max_threads));
        return nullptr;
    }
    return &threads_[key];
}

void TraceRules::event(const TraceEvent& event) {
    const auto& ph = event.at(TraceField::ph);
    static constexpr std::string_view phases = "XBEiIbnesftCM";
    if (!event.repeated_key.empty())
        broken(event, event.offset, "shape", fmt::format("the key {} stands twice", event.repeated_key));
    if (ph.kind != Kind::string || ph.text.size() != 1 || phases.find(ph.text[0]) == std::string_view::npos) {
        broken(event, ph.kind == Kind::absent ? event.offset : ph.offset, "phase",
               fmt::format("ph must be one of {}, is {}", phases,
                           ph.kind == Kind::string ? "'" + shown(ph.text) + "'" : "no string"));
        return;
    }
    const char phase = ph.text[0];
    const auto is = [&](std::string_view set) { return set.find(phase) != std::string_view::npos; };
    if (!is("Ee"))
        words(event, {TraceField::name}, "name");
    const bool thread_instant = is("iI") && event.string(TraceField::s) == "t";
    const bool thread_name = phase == 'M' && event.string(TraceField::name).starts_with("thread_");
    const bool on_thread = is("XBEsft") || thread_instant || thread_name;
    const bool global = is("iI") && event.string(TraceField::s) == "g";
    const auto pid = identity(event, TraceField::pid, !global);
    const auto tid = identity(event, TraceField::tid, on_thread);
    if (phase == 'M')
        return metadata(event);

    const auto ts = time(event, TraceField::ts, "ts");
    const auto dur = phase == 'X' ? time(event, TraceField::dur, "dur") : std::nullopt;
    if (ts)
        order(event, *ts);
    if (is("ben"))
        async(event, phase);
    if (phase == 'C')
        counter(event);
    if (is("iI"))
        instant(event);
    Thread* const at = is("XBEsft") ? thread(event, pid, tid) : nullptr;
    if (at == nullptr || !ts)
        return;
    if (phase == 'X' && dur)
        slice(event, *at, *ts, *ts + *dur);
    if (phase == 'B')
        slice(event, *at, *ts, open_ended);
    if (phase == 'E')
        end_slice(event, *at, *ts);
    if (is("sft"))
        flow(event, phase, *at, std::uint64_t{*pid} << 32U | *tid, *ts);
}

void TraceRules::order(const TraceEvent& event, std::int64_t ts) {
    const auto offset = event.at(TraceField::ts).offset;
    if (!timed_ && ts != 0)
        broken(event, offset, "start", fmt::format("time must start at 0.000, starts at {}", microseconds(ts)));
    if (timed_ && ts < last_ts_)
        broken(event, offset, "sorted",
               fmt::format("ts goes back from {} to {}", microseconds(last_ts_), microseconds(ts)));
    if (ts > last_ts_)
        settle_flows();
    last_ts_ = timed_ ? std::max(last_ts_, ts) : ts;
    timed_ = true;
}

void TraceRules::slice(const TraceEvent& event, Thread& thread, std::int64_t ts, std::int64_t end) {
    while (!thread.ends.empty() && thread.ends.back() <= ts) {
        thread.last_end = std::max(thread.last_end, thread.ends.back());
        thread.ends.pop_back();
    }
    thread.last_start = ts;
    if (!thread.ends.empty() && end != open_ended && end > thread.ends.back()) {
        broken(event, event.offset, "nesting",
               fmt::format("the slice ends at {}, after the one that it begins in ({})", microseconds(end),
                           microseconds(thread.ends.back())));
        return;
    }
    if (thread.ends.size() >= max_depth) {
        broken(event, event.offset, "nesting", fmt::format("slices nest deeper than {}", max_depth));
        return;
    }
    thread.ends.push_back(end);
}

void TraceRules::end_slice(const TraceEvent& event, Thread& thread, std::int64_t ts) {
    while (!thread.ends.empty() && thread.ends.back() <= ts)
        thread.ends.pop_back();
    if (thread.ends.empty() || thread.ends.back() != open_ended) {
        broken(event, event.offset, "nesting",
               thread.ends.empty() ? "E without an open B" : "E before the end of a slice inside its B");
        return;
    }
    thread.last_end = ts;
    thread.ends.pop_back();
}

void TraceRules::async(const TraceEvent& event, char phase) {
    if (!words(event, {TraceField::cat, TraceField::id}, "async"))
        return;
    const Id id{event.at(TraceField::pid).text, event.at(TraceField::cat).text, id_text(event)};
    const auto open = open_async_.find(id);
    if (phase == 'b') {
        if (open == open_async_.end() && open_async_.size() >= max_open)
            broken(event, event.offset, "async", fmt::format("more than {} open at once", max_open));
        else
            ++open_async_[id];
    } else if (phase == 'e') {
        if (open == open_async_.end())
            broken(event, event.offset, "async", "e without an open b of the same pid, cat and id");
        else if (--open->second == 0)
            open_async_.erase(open);
    }
}

void TraceRules::counter(const TraceEvent& event) {
    const auto& args = event.at(TraceField::args);
    if (args.kind != Kind::object || event.args_total == 0) {
        broken(event, args.kind == Kind::absent ? event.offset : args.offset, "counter",
               "args of a counter must be an object of numbers");
        return;
    }
    for (const auto& arg : event.args) {
        if (arg.value.kind != Kind::number || !parse_double(arg.value.text)) {
            broken(event, arg.value.offset, "counter", fmt::format("{} of a counter must be a number", shown(arg.key)));
            continue;
        }
        if (tracks_.size() <= max_counter_tracks)
            tracks_.insert(event.at(TraceField::pid).text + '\n' + event.at(TraceField::name).text + '\n' + arg.key);
        if (tracks_.size() > max_counter_tracks && !tracks_reported_) {
            tracks_reported_ = true;
            broken(event, event.offset, "tracks", fmt::format("more than {} counter tracks", max_counter_tracks));
        }
    }
    if (event.args_total > event.args.size())
        broken(event, args.offset, "tracks", fmt::format("a counter with {} keys", event.args_total));
}

void TraceRules::instant(const TraceEvent& event) {
    const auto scope = event.string(TraceField::s);
    if (scope != "g" && scope != "p" && scope != "t")
        broken(event, event.has(TraceField::s) ? event.at(TraceField::s).offset : event.offset, "instant",
               "s of an instant must be g, p or t");
}

void TraceRules::flow(const TraceEvent& event, char phase, Thread& thread, std::uint64_t key, std::int64_t ts) {
    while (!thread.ends.empty() && thread.ends.back() <= ts) {
        thread.last_end = std::max(thread.last_end, thread.ends.back());
        thread.ends.pop_back();
    }
    if (thread.ends.empty() && thread.last_end != ts && thread.last_start != ts) {
        if (pending_flows_.size() < max_open)
            pending_flows_.push_back({{event.index, event.offset}, key});
    }
    if (phase == 'f' && event.string(TraceField::bp) != "e")
        broken(event, event.offset, "flow", "the end of a flow needs bp \"e\"");
    if (!words(event, {TraceField::cat, TraceField::id}, "flow"))
        return;
    const Id id{event.at(TraceField::name).text, event.at(TraceField::cat).text, id_text(event)};
    const auto open = open_flows_.find(id);
    if (phase == 's') {
        if (open == open_flows_.end() && open_flows_.size() >= max_open)
            broken(event, event.offset, "flow", fmt::format("more than {} open at once", max_open));
        else
            open_flows_.insert_or_assign(id, Place{event.index, event.offset});
    } else if (open == open_flows_.end()) {
        broken(event, event.offset, "flow", "no flow of the same cat, name and id has begun");
    } else if (phase == 'f') {
        open_flows_.erase(open);
    }
}

// A slice that begins at the flow's own time may stand after it in the file.
void TraceRules::settle_flows() {
    for (const PendingFlow& pending : pending_flows_) {
        if (threads_[pending.thread].last_start == last_ts_)
            continue;
        TraceEvent event;
        event.index = pending.place.event;
        broken(event, pending.place.offset, "flow", "the flow does not lie inside a slice of its thread");
    }
    pending_flows_.clear();
}

void TraceRules::metadata(const TraceEvent& event) {
    const auto name = event.string(TraceField::name);
    const bool names = name == "process_name" || name == "thread_name";
    if (!names && name != "process_sort_index" && name != "thread_sort_index") {
        broken(event, event.has(TraceField::name) ? event.at(TraceField::name).offset : event.offset, "metadata",
               "M must be process_name, thread_name, process_sort_index or thread_sort_index");
        return;
    }
    const char* const key = names ? "name" : "sort_index";
    for (const auto& arg : event.args)
        if (arg.key == key && arg.value.kind == (names ? Kind::string : Kind::number))
            return;
    broken(event, event.offset, "metadata",
           fmt::format("args must hold {} ({})", key, names ? "a string" : "a number"));
}

void TraceRules::finish() {
    settle_flows();
    for (const auto& [id, place] : open_flows_) {
        TraceEvent event;
        event.index = place.event;
        broken(event, place.offset, "flow", "the flow has no end");
    }
}

} // namespace snapscope
