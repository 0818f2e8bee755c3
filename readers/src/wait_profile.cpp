#include "import_parts.hpp"

#include <snapscope/base/csv.hpp>
#include <snapscope/base/number_cell.hpp>
#include <snapscope/readers/wait_profile.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <numeric>

namespace snapscope {
namespace {

constexpr std::size_t shown_losses = 3;
constexpr std::size_t shown_locks = 4;

bool is_proc_array(const WaitEvent& wait) {
    return wait.event == "ProcArray" || wait.event == "ProcArrayLock" || wait.event == "ProcArrayGroupUpdate" ||
           wait.event == "ProcArrayGroupClear";
}

struct Columns {
    std::optional<std::size_t> type, event, sessions;
};

Columns columns_of(const std::vector<std::string>& header) {
    Columns out;
    for (std::size_t i = 0; i < header.size(); ++i) {
        if (header[i] == "wait_event_type")
            out.type = i;
        else if (header[i] == "wait_event")
            out.event = i;
        else if (header[i] == "aas" || header[i] == "count")
            out.sessions = i;
    }
    return out;
}

} // namespace

double WaitProfile::sessions() const {
    return std::accumulate(events.begin(), events.end(), 0.0,
                           [](double sum, const WaitEvent& wait) { return sum + wait.sessions; });
}

double WaitProfile::of_proc_array() const {
    return std::accumulate(events.begin(), events.end(), 0.0, [](double sum, const WaitEvent& wait) {
        return sum + (is_proc_array(wait) ? wait.sessions : 0);
    });
}

std::vector<WaitEvent> WaitProfile::larger_locks() const {
    std::vector<WaitEvent> out;
    std::ranges::copy_if(events, std::back_inserter(out), [&](const WaitEvent& wait) {
        return wait.type == "LWLock" && !is_proc_array(wait) && wait.sessions > of_proc_array();
    });
    return out;
}

Result<WaitProfile> read_wait_profile(std::string_view text, const std::string& label) {
    CsvReader reader(text, detect_separator(text));
    WaitProfile out;
    std::optional<std::vector<std::string>> header;
    Columns columns;
    const auto lose = [&](std::size_t line, const char* why) {
        if (++out.rows_lost <= shown_losses)
            out.notes.push_back(fmt::format("{}: line {}: {}: left out", label, line, why));
    };
    while (reader.more()) {
        const std::size_t line = reader.line();
        const auto record = reader.next();
        if (!record)
            return fail(fmt::format("{}: line {}: a quoted cell does not end", label, line));
        if (!header) {
            header = record->cells;
            columns = columns_of(*header);
            if (!columns.type || !columns.event || !columns.sessions)
                return fail(label + " is no profile of wait events",
                            "it wants columns wait_event_type, wait_event, aas");
            continue;
        }
        if (record->cells == *header)
            continue; // repeated
        if (record->cells.size() != header->size() || !record->ended) {
            lose(line, record->ended ? "it does not fit the header" : "it has no line end, so it may be cut off");
            continue;
        }
        const NumberCell sessions = read_number(record->cells[*columns.sessions]);
        if (!sessions.is_number() || sessions.value < 0)
            lose(line, "its average is no number");
        else
            out.events.push_back({record->cells[*columns.type], record->cells[*columns.event], sessions.value});
    }
    if (out.events.empty())
        return fail(label + " holds no wait event", "it wants columns wait_event_type, wait_event, aas");
    std::ranges::stable_sort(out.events, [](const auto& a, const auto& b) { return a.sessions > b.sessions; });
    return out;
}

Result<Imported> import_waits(std::string_view text, const ImportOptions& options) {
    const auto profile = read_wait_profile(text, options.label);
    if (!profile)
        return fail(profile.error());
    Imported out = new_import(options);
    Run& run = out.run;
    SourceStatus source{"waits", EvidenceKind::sampled,  SourceState::active, "", "", 0,
                        0,       profile->events.size(), profile->rows_lost,  {}};
    out.partial = profile->rows_lost > 0;
    if (out.partial) {
        source.state = SourceState::degraded;
        source.reason = fmt::format("{} rows could not be used: what all wait for is not known", profile->rows_lost);
        source.losses = {{"rows_unusable", profile->rows_lost}};
    } else {
        const double all = profile->sessions();
        run.warnings.push_back(
            fmt::format("waits: {:.2f} of {:.2f} average sessions wait for the proc array ({:.1f} %)",
                        profile->of_proc_array(), all, all > 0 ? 100 * profile->of_proc_array() / all : 0));
    }
    run.sources.push_back(std::move(source));
    auto larger = profile->larger_locks();
    larger.resize(std::min(larger.size(), shown_locks));
    std::vector<std::string> names;
    for (const WaitEvent& wait : larger)
        names.push_back(fmt::format("{} {:.2f}", wait.event, wait.sessions));
    if (!names.empty())
        run.warnings.push_back(fmt::format("waits: other locks hold up more: {}", fmt::join(names, ", ")));
    run.warnings.insert(run.warnings.end(), profile->notes.begin(), profile->notes.end());
    return out;
}

} // namespace snapscope
