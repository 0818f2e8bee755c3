#include "event_files.hpp"

#include <snapscope/recording/event_trace.hpp>

#include <fmt/format.h>

namespace snapscope::cli {

Status check_event_files(const Run& run, const std::filesystem::path& folder) {
    if (!run.finished || !run.events)
        return {};
    const auto events = folder / "events";
    SNAPSCOPE_TRY(check_event_trace(events));
    for (const SourceStatus& source : run.sources) {
        if (source.records == 0 || (source.name != "ring" && source.name != "ebpf"))
            continue;
        const auto held = count_events(events, source.name == "ring" ? EventSource::ring : EventSource::ebpf);
        if (!held)
            return fail(held.error());
        if (*held != source.records)
            return fail(fmt::format("{} holds {} events of {}, which recorded {}", events.string(), *held, source.name,
                                    source.records));
    }
    return {};
}

} // namespace snapscope::cli
