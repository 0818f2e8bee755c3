#include "json_scanner.hpp"
#include "trace_rules.hpp"

#include <snapscope/analyzer/trace_check.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

namespace snapscope {
namespace {

using Token = JsonScanner::Token;

Status check_events(JsonScanner& scanner, TraceReport& report) {
    TraceRules rules(report);
    for (;;) {
        const auto token = scanner.next();
        if (!token)
            return fail(token.error());
        if (*token == Token::end_array)
            break;
        if (*token == Token::begin_object) {
            const auto event = TraceEvent::read(scanner, report.events);
            if (!event)
                return fail(event.error());
            rules.event(*event);
        } else {
            TraceEvent event;
            event.index = report.events;
            rules.broken(event, scanner.offset(), "shape", "an event must be an object");
            SNAPSCOPE_TRY(scanner.skip_value(*token));
        }
        ++report.events;
    }
    rules.finish();
    return {};
}

void broken_shape(TraceReport& report, std::uint64_t offset, const char* message) {
    ++report.violations_total;
    report.violations.push_back({std::nullopt, offset, "shape", message});
}

Status check_document(JsonScanner& scanner, TraceReport& report) {
    const auto first = scanner.next();
    if (!first)
        return fail(first.error());
    bool seen = false;
    if (*first != Token::begin_object) {
        broken_shape(report, scanner.offset(), "the file must be an object: {\"traceEvents\":[...]}");
        seen = true;
        SNAPSCOPE_TRY(scanner.skip_value(*first));
    }
    for (;;) {
        const auto token = scanner.next();
        if (!token)
            return fail(token.error());
        if (*token == Token::end)
            break;
        if (*token != Token::key)
            continue; // the end of the object
        const bool events = scanner.text() == "traceEvents";
        const auto value = scanner.next();
        if (!value)
            return fail(value.error());
        if (!events || *value != Token::begin_array || seen) {
            if (events)
                broken_shape(report, scanner.offset(),
                             seen ? "traceEvents stands twice" : "traceEvents must be an array");
            seen = seen || events;
            SNAPSCOPE_TRY(scanner.skip_value(*value));
            continue;
        }
        seen = true;
        SNAPSCOPE_TRY(check_events(scanner, report));
    }
    if (!seen)
        broken_shape(report, 0, "traceEvents is missing");
    return {};
}

} // namespace

Result<TraceReport> check_trace(const ReadBytes& read) {
    TraceReport report;
    JsonScanner scanner(read);
    const Status status = check_document(scanner, report);
    if (status)
        return report;
    if (scanner.read_failed())
        return fail(status.error());
    report.json = false;
    report.violations_total = 1;
    report.violations = {{std::nullopt, scanner.error_offset(), "json", "not JSON: " + status.error().what}};
    return report;
}

Result<TraceReport> check_trace_file(const std::filesystem::path& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot open " + path.string(), errno);
    return check_trace([&](char* data, std::size_t size) -> Result<std::size_t> {
        for (;;) {
            const ssize_t got = ::read(fd.get(), data, size);
            if (got >= 0)
                return static_cast<std::size_t>(got);
            if (errno != EINTR)
                return fail_errno("cannot read " + path.string(), errno);
        }
    });
}

} // namespace snapscope
