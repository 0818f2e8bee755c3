#include "record_usage.hpp"

#include "watched_words.hpp"

#include <snapscope/recording/run_folder.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <set>

namespace snapscope {
namespace {

bool can_record_events(const std::string& source) {
    return source == "ring" || source == "ebpf";
}

bool leaves_out(const RecordOptions& options, const char* source) {
    return !options.sources.empty() && std::ranges::find(options.sources, source) == options.sources.end();
}

Status check_watch(const RecordOptions& options) {
    if (options.watch.empty())
        return {};
    const auto words = parse_watched_words(options.watch);
    if (!words)
        return fail(words.error());
    if (leaves_out(options, "watch"))
        return fail("--watch is for the source watch, which --source leaves out",
                    "add watch to --source, or leave --watch out", ErrorClass::usage);
    return {};
}

Status check_map(const RecordOptions& options) {
    if (options.map && leaves_out(options, "mirror"))
        return fail("--map is for the mirror, which --source leaves out", "add mirror to --source, or leave --map out",
                    ErrorClass::usage);
    return {};
}

} // namespace

Status check_sources(const std::vector<std::string>& sources, bool events) {
    const auto usage = [](std::string what, std::string hint) {
        return fail(std::move(what), std::move(hint), ErrorClass::usage);
    };
    std::set<std::string> seen;
    for (const auto& name : sources) {
        if (name.empty())
            return usage("--source holds an empty name", "e.g. --source ring,sql");
        if (std::ranges::find(source_names(), name) == source_names().end())
            return usage("unknown source " + name, "see snapscope doctor");
        if (!seen.insert(name).second)
            return usage("source " + name + " is named twice", "name each source once");
    }
    if (events && !sources.empty() && std::ranges::none_of(sources, can_record_events))
        return usage(fmt::format("--events: of {} none records events", fmt::join(sources, ", ")),
                     "add ring or ebpf to --source, or leave --events out");
    return {};
}

Status check_usage(const RecordOptions& options) {
    SNAPSCOPE_TRY(check_target(options.target));
    SNAPSCOPE_TRY(check_run_name(options.output));
    SNAPSCOPE_TRY(check_map(options));
    SNAPSCOPE_TRY(check_watch(options));
    return check_sources(options.sources, options.events);
}

} // namespace snapscope
