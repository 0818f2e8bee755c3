// The verbs of snapscope and what they share.  A verb is one file,
// verb_NAME.cpp; it registers a subcommand with its options, and main runs the
// action that the parsed command line asked for.
#pragma once

#include "output.hpp"

#include <snapscope/base/result.hpp>

#include <CLI/CLI.hpp>
#include <functional>

namespace snapscope::cli {

// Groups of `snapscope --help`, in its order.
inline constexpr const char* group_record = "Look at a server";
inline constexpr const char* group_read = "Read what was recorded";
inline constexpr const char* group_compare = "Compare";
inline constexpr const char* group_model = "Layout and model";

// What the command line said for all verbs, and which action it asked for.
struct Context {
    Terminal terminal;
    // Set by the verb's callback; its value is the exit code (exit.hpp).
    std::function<Result<int>()> action;
};

// The usual way to register, with options that the action keeps alive:
//     auto options = std::make_shared<ShowOptions>();
//     CLI::App* verb = app.add_subcommand("show", "...")->group(group_read);
//     verb->callback([&context, options] {
//         context.action = [&context, options] { return show(*options, context.terminal); };
//     });
void add_doctor(CLI::App& app, Context& context);
void add_record(CLI::App& app, Context& context);
void add_calibrate(CLI::App& app, Context& context);
void add_top(CLI::App& app, Context& context);
void add_serve(CLI::App& app, Context& context);
void add_show(CLI::App& app, Context& context);
void add_export(CLI::App& app, Context& context);
void add_import(CLI::App& app, Context& context);
void add_report(CLI::App& app, Context& context);
void add_trace(CLI::App& app, Context& context);
void add_diff(CLI::App& app, Context& context);
void add_layout(CLI::App& app, Context& context);
void add_simulate(CLI::App& app, Context& context);
void add_emulate(CLI::App& app, Context& context);
void add_sweep(CLI::App& app, Context& context);
void add_analyze(CLI::App& app, Context& context);
void add_fleet(CLI::App& app, Context& context);

// All verbs, in the order of the help (verbs.cpp); each add_NAME stands in verb_NAME.cpp.
void add_verbs(CLI::App& app, Context& context);

// --format text|json|csv|markdown
void add_format_option(CLI::App& verb, Format& format);

} // namespace snapscope::cli
