// snapscope trace check FILE
#include "exit.hpp"
#include "verbs.hpp"

#include <snapscope/analyzer/trace_check.hpp>

#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

struct TraceCheckOptions {
    std::string file;
    Format format = Format::text;
};

nlohmann::json to_json(const TraceReport& report, const std::string& file) {
    auto violations = nlohmann::json::array();
    for (const TraceViolation& violation : report.violations)
        violations.push_back({{"event", violation.event ? nlohmann::json(*violation.event) : nlohmann::json()},
                              {"offset_bytes", violation.offset},
                              {"rule", violation.rule},
                              {"message", violation.message}});
    return {{"schema_version", 1},
            {"file", file},
            {"valid", report.valid()},
            {"events", report.events},
            {"violations_total", report.violations_total},
            {"violations", violations}};
}

Table to_table(const TraceReport& report) {
    using Align = Table::Align;
    Table table({{"event", Align::right}, {"byte", Align::right}, {"rule"}, {"what breaks it"}});
    for (const TraceViolation& violation : report.violations)
        table.add({violation.event ? std::to_string(*violation.event) : "-", std::to_string(violation.offset),
                   violation.rule, violation.message});
    return table;
}

std::string to_text(const TraceReport& report, const Terminal& terminal) {
    if (report.valid())
        return terminal.paint("valid", Tone::good) + fmt::format(": {} events, every rule holds\n", report.events);
    std::string out = terminal.paint("not valid", Tone::bad) +
                      fmt::format(": {} breaks in {} events\n", report.violations_total, report.events);
    out += to_table(report).text(terminal, "  ");
    if (report.violations_total > report.violations.size())
        out += fmt::format("  and {} more\n", report.violations_total - report.violations.size());
    return out;
}

Result<int> check(const TraceCheckOptions& options, const Terminal& terminal) {
    const auto report = check_trace_file(options.file);
    if (!report)
        return fail(report.error());
    if (!report->json && options.format == Format::text)
        return fail(options.file + " is " + report->violations.front().message);
    const auto render = [&]() -> std::string {
        switch (options.format) {
        case Format::json:
            return render_json(to_json(*report, options.file));
        case Format::csv:
            return to_table(*report).csv();
        case Format::markdown:
            return to_table(*report).markdown();
        case Format::text:
            break;
        }
        return to_text(*report, terminal);
    };
    SNAPSCOPE_TRY(print(render()));
    return report->valid() ? exit_done : exit_failed;
}

} // namespace

void add_trace(CLI::App& app, Context& context) {
    CLI::App* trace = app.add_subcommand("trace", "Work on exported traces")->group(group_read);
    trace->require_subcommand(1);
    CLI::App* verb =
        trace->add_subcommand("check", "Strict check of an exported trace against the rules that viewers hold");
    auto options = std::make_shared<TraceCheckOptions>();
    verb->add_option("FILE", options->file, "A trace in JSON, e.g. from 'snapscope export --format perfetto'")
        ->required();
    add_format_option(*verb, options->format);
    verb->footer("Example:\n  snapscope trace check run.json && echo fit for ui.perfetto.dev\n");
    verb->callback(
        [&context, options] { context.action = [&context, options] { return check(*options, context.terminal); }; });
}

} // namespace snapscope::cli
