// The program: reads the command line, runs one verb, turns what it says into
// an exit code.
#include "exit.hpp"
#include "verbs.hpp"

#include <csignal>
#include <exception>
#include <fmt/format.h>
#include <map>

namespace snapscope::cli {
namespace {

// An option that takes one of a few words.
template <typename T>
void add_choice(CLI::App& app, const std::string& flag, const std::string& type_name, T& value,
                const std::vector<std::pair<std::string, T>>& words, const std::string& description) {
    std::map<std::string, T> meanings(words.begin(), words.end());
    std::string list;
    for (const auto& [word, meaning] : words)
        list += (list.empty() ? "" : ", ") + word;
    const auto check = [meanings, list](const std::string& word) {
        return meanings.contains(word) ? std::string() : "'" + word + "' is none of " + list;
    };
    const auto take = [meanings, &value](const std::string& word) { value = meanings.at(word); };
    app.add_option_function<std::string>(flag, take, description)->check(check)->type_name(type_name);
}

// The deepest subcommand that the command line named: whose --help to point to.
std::string help_of(const CLI::App& app) {
    std::string words = "snapscope";
    const CLI::App* at = &app;
    while (!at->get_subcommands().empty()) {
        at = at->get_subcommands().front();
        words += " " + at->get_name();
    }
    return words + " --help";
}

void add_globals(CLI::App& app, Context& context) {
    app.set_version_flag("--version", "snapscope " SNAPSCOPE_VERSION, "Print the version");
    app.add_flag("-q,--quiet", context.terminal.quiet, "No notes on stderr");
    app.add_flag("-v,--verbose", context.terminal.verbosity, "More notes on stderr; may be repeated");
    add_choice<ColorMode>(app, "--color", "WHEN", context.terminal.color,
                          {{"auto", ColorMode::automatic}, {"always", ColorMode::always}, {"never", ColorMode::never}},
                          "auto, always or never (NO_COLOR is honoured)");
}

int run(int argc, char** argv) {
    CLI::App app("What a snapshot costs your PostgreSQL, down to the cache line.", "snapscope");
    Context context;
    app.fallthrough(); // global options may stand behind the verb
    app.require_subcommand(0, 1);
    app.get_formatter()->column_width(26);
    add_globals(app, context);
    add_verbs(app, context);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& help) {
        const int code = app.exit(help);
        if (const Status printed = print(""); !printed)
            return report(printed.error());
        return code;
    } catch (const CLI::ParseError& error) {
        return report(Error{ErrorClass::usage, error.what(), "see '" + help_of(app) + "'"});
    }
    if (!context.action) {
        fmt::print(stderr, "{}", app.help());
        return exit_usage;
    }
    std::signal(SIGXFSZ, SIG_IGN); // a file that may not grow is an error of the write
    const Result<int> result = context.action();
    return result ? *result : report(result.error());
}

} // namespace

void add_format_option(CLI::App& verb, Format& format) {
    add_choice<Format>(
        verb, "--format", "FORMAT", format,
        {{"text", Format::text}, {"json", Format::json}, {"csv", Format::csv}, {"markdown", Format::markdown}},
        "text, json, csv or markdown");
}

} // namespace snapscope::cli

int main(int argc, char** argv) {
    try {
        return snapscope::cli::run(argc, argv);
    } catch (const std::exception& error) {
        return snapscope::cli::report(snapscope::Error{snapscope::ErrorClass::failed, error.what(), ""});
    } catch (...) {
        return snapscope::cli::report(snapscope::Error{snapscope::ErrorClass::failed, "unknown failure", ""});
    }
}
