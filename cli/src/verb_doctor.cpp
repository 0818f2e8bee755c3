#include "escape.hpp"
#include "exit.hpp"
#include "target_options.hpp"
#include "verbs.hpp"

#include <snapscope/collector/doctor.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace snapscope::cli {
namespace {

struct DoctorOptions {
    TargetSpec target;
    Format format = Format::text;
};

constexpr const char* examples = "Examples:\n"
                                 "  snapscope doctor\n"
                                 "  snapscope doctor --port 5433 --format json\n";

template <typename T> nlohmann::json or_null(const std::optional<T>& value) {
    return value ? nlohmann::json(*value) : nlohmann::json(nullptr);
}

nlohmann::json to_json(const KernelLimit& limit) {
    return {{"name", limit.name},
            {"value", limit.value.empty() ? nlohmann::json(nullptr) : nlohmann::json(limit.value)},
            {"limits", limit.limits()},
            {"sources", limit.sources},
            {"reason", limit.reason},
            {"hint", limit.hint}};
}

nlohmann::json to_json(const Diagnosis& diagnosis) {
    nlohmann::json json{{"schema_version", 1},
                        {"target", nullptr},
                        {"sources", nlohmann::json::array()},
                        {"limits", nlohmann::json::array()}};
    if (diagnosis.target) {
        const Server& server = diagnosis.server;
        json["target"] = {{"pid", diagnosis.target->pid},
                          {"pgdata", or_null(server.pgdata)},
                          {"port", or_null(diagnosis.target->port)},
                          {"socket_folder", or_null(diagnosis.target->socket_folder)},
                          {"version", server.version},
                          {"build_id", or_null(server.build_id)},
                          {"snapshot_cache", server.snapshot_cache},
                          {"max_connections", or_null(server.max_connections)}};
    }
    for (const auto& source : diagnosis.sources)
        json["sources"].push_back({{"name", source.name},
                                   {"kind", to_string(source.kind)},
                                   {"state", to_string(source.state)},
                                   {"reason", source.reason},
                                   {"hint", source.hint}});
    for (const auto& limit : diagnosis.limits)
        json["limits"].push_back(to_json(limit));
    return json;
}

Table to_table(const Diagnosis& diagnosis) {
    Table table({{"source"}, {"kind"}, {"state"}, {"reason"}, {"hint"}});
    for (const auto& source : diagnosis.sources)
        table.add({source.name, to_string(source.kind), to_string(source.state), source.reason, source.hint},
                  source.state == SourceState::available ? Tone::good : Tone::plain);
    return table;
}

// A line a source; why and what to do stand below it, since neither fits a column.
std::string to_text(const Diagnosis& diagnosis, const Terminal& terminal) {
    std::string out;
    for (const auto& source : diagnosis.sources) {
        const bool available = source.state == SourceState::available;
        out +=
            terminal.paint(fmt::format("{:<11}{:<10}{}", source.name, to_string(source.kind), to_string(source.state)),
                           available ? Tone::good : Tone::plain) +
            "\n";
        if (!source.reason.empty())
            out += "             " + escape_terminal(source.reason) + "\n";
        if (!source.hint.empty())
            out += "             " + terminal.paint(escape_terminal(source.hint), Tone::faint) + "\n";
    }
    return out;
}

// What the kernel keeps back, and from which sources.
std::string limits_text(const std::vector<KernelLimit>& limits, const Terminal& terminal) {
    std::string out;
    for (const auto& limit : limits)
        if (limit.limits())
            out += fmt::format("{:<21}stands in the way of {}\n             {}\n             {}\n", limit.name,
                               fmt::join(limit.sources, ", "), escape_terminal(limit.reason),
                               terminal.paint(escape_terminal(limit.hint), Tone::faint));
    return out.empty() ? "" : "\nLimits of this kernel\n" + out;
}

std::string render(const Diagnosis& diagnosis, Format format, const Terminal& terminal) {
    switch (format) {
    case Format::json:
        return render_json(to_json(diagnosis));
    case Format::csv:
        return to_table(diagnosis).csv();
    case Format::markdown:
        return to_table(diagnosis).markdown();
    case Format::text:
        break;
    }
    const std::string target =
        diagnosis.target ? fmt::format("PostgreSQL {}, {}", diagnosis.server.version, diagnosis.target->describe())
                         : std::string("no server");
    return escape_terminal(target) + "\n" + to_text(diagnosis, terminal) +
           limits_text(diagnosis.limits, terminal);
}

Result<int> run_doctor(const DoctorOptions& options, const Context& context) {
    const auto diagnosis = diagnose(options.target);
    if (!diagnosis)
        return fail(diagnosis.error());
    SNAPSCOPE_TRY(print(render(*diagnosis, options.format, context.terminal)));
    return exit_done;
}

} // namespace

void add_doctor(CLI::App& app, Context& context) {
    auto options = std::make_shared<DoctorOptions>();
    CLI::App* verb = app.add_subcommand("doctor", "Which evidence this host and a server can give, and why not")
                         ->group(group_record);
    add_target_options(*verb, options->target);
    add_format_option(*verb, options->format);
    verb->footer(examples);
    verb->callback(
        [&context, options] { context.action = [&context, options] { return run_doctor(*options, context); }; });
}

} // namespace snapscope::cli
