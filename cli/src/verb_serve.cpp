// snapscope serve TARGET... [--listen ADDRESS:PORT]
#include "exit.hpp"
#include "interrupt.hpp"
#include "option_checks.hpp"
#include "verbs.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/serve/serve.hpp>

#include <fmt/format.h>
#include <limits>
#include <memory>

namespace snapscope::cli {
namespace {

struct VerbOptions {
    std::vector<pid_t> pids;
    std::vector<std::string> folders;
    std::vector<std::uint16_t> ports;
    std::optional<std::string> host, dsn;
    std::string listen = "127.0.0.1:9188";
    std::string sources, token_file, record_to;
    SessionOptions session;
    ServeOptions serve;
};

constexpr int shortest_interval_ms = 100;
constexpr int longest_interval_ms = 60'000;
constexpr int longest_keep_min = 60;
constexpr std::size_t longest_token_file = 4096;

constexpr const char* examples = "The page shows what a report shows, as it happens; /metrics is for Prometheus.\n\n"
                                 "Examples:\n"
                                 "  snapscope serve\n"
                                 "  snapscope serve --port 5432 --port 5433 --record-to runs/\n"
                                 "  snapscope serve --pgdata /srv/pg/data --listen 192.0.2.7:9188 --token-file token\n";

// "[::1]:9188", "127.0.0.1:9188"
Status parse_listen(const std::string& text, ServeOptions& options) {
    const auto colon = text.rfind(':');
    const auto port = colon == std::string::npos ? std::nullopt : parse_integer<std::uint16_t>(text.substr(colon + 1));
    if (!port)
        return fail("--listen " + text + " is not ADDRESS:PORT", "e.g. 127.0.0.1:9188 or [::1]:9188",
                    ErrorClass::usage);
    options.port = *port;
    options.address = text.substr(0, colon);
    if (options.address.starts_with('[') && options.address.ends_with(']'))
        options.address = options.address.substr(1, options.address.size() - 2);
    return {};
}

std::vector<TargetSpec> targets_of(const VerbOptions& options) {
    std::vector<TargetSpec> out;
    for (const pid_t pid : options.pids)
        out.emplace_back().pid = pid;
    for (const std::string& folder : options.folders)
        out.emplace_back().pgdata = folder;
    for (const std::uint16_t port : options.ports) {
        out.emplace_back().port = port;
        out.back().host = options.host;
    }
    if (out.empty())
        out.emplace_back().host = options.host;
    for (TargetSpec& target : out)
        target.dsn = options.dsn;
    return out;
}

Status fill(VerbOptions& options) {
    SNAPSCOPE_TRY(parse_listen(options.listen, options.serve));
    options.session.sources = options.sources.empty() ? sources_without_probes() : split(options.sources, ',');
    for (TargetSpec& target : targets_of(options)) {
        options.session.target = std::move(target);
        options.serve.servers.push_back(options.session);
    }
    if (!options.record_to.empty()) {
        std::error_code error;
        if (!std::filesystem::is_directory(options.record_to, error))
            return fail("--record-to " + options.record_to + " is no folder", "make it first", ErrorClass::usage);
        options.serve.record_to = options.record_to;
    }
    if (!options.token_file.empty()) {
        const auto text = read_file(options.token_file, longest_token_file);
        if (!text)
            return fail(text.error());
        options.serve.token = std::string(trim(*text));
    }
    return {};
}

Result<int> run_serve(VerbOptions& options, const Context& context) {
    SNAPSCOPE_TRY(fill(options));
    options.serve.tool_version = SNAPSCOPE_VERSION;
    options.serve.note = [&context](const std::string& text) { context.terminal.note(text); };
    // The one result of this verb: where to look.
    options.serve.ready = [](const std::string& url) { static_cast<void>(print(url + "\n")); };
    SNAPSCOPE_TRY(serve(options.serve, catch_interrupts()));
    return exit_done;
}

void add_targets(CLI::App& verb, VerbOptions& options) {
    constexpr const char* group = "Which servers, each as often as there are (none: the only running one)";
    const auto number = [&]<class T>(const char* flag, const char* type, T most, std::vector<T>& into,
                                     const char* what) {
        const auto check = [most](const std::string& text) {
            return parse_number<T>(text, 1, most) ? std::string()
                                                  : fmt::format("'{}' is no whole number from 1 to {}", text, most);
        };
        const auto take = [&into](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
                into.push_back(*parse_integer<T>(text));
        };
        verb.add_option_function<std::vector<std::string>>(flag, take, what)
            ->check(check)
            ->type_name(type)
            ->group(group)
            ->allow_extra_args(false);
    };
    number("--pid", "PID", std::numeric_limits<pid_t>::max(), options.pids, "A postmaster");
    verb.add_option("--pgdata", options.folders, "A data folder")
        ->type_name("DIR")
        ->group(group)
        ->check(not_empty)
        ->allow_extra_args(false);
    number("--port", "N", std::uint16_t{65535}, options.ports, "A port");
    verb.add_option("--host", options.host, "With --port: the socket folder")
        ->type_name("DIR")
        ->group(group)
        ->check(not_empty);
    verb.add_option("--dsn", options.dsn, "Login for SQL, in libpq's form (default: the owner of each data folder)")
        ->type_name("CONNINFO")
        ->group(group);
}

void add_listening(CLI::App& verb, VerbOptions& options) {
    constexpr const char* group = "Who may look";
    verb.add_option("--listen", options.listen, "Address in numbers, and port (default: 127.0.0.1:9188)")
        ->type_name("ADDRESS:PORT")
        ->group(group)
        ->check(not_empty);
    verb.add_option("--token-file", options.token_file, "Ask for this token (default: a new one, unless on loopback)")
        ->type_name("FILE")
        ->group(group)
        ->check(not_empty);
    verb.add_option("--name", options.serve.names, "A name by which this host may be called, beside its addresses")
        ->type_name("HOST")
        ->group(group)
        ->check(not_empty)
        ->allow_extra_args(false);
}

} // namespace

void add_serve(CLI::App& app, Context& context) {
    auto options = std::make_shared<VerbOptions>();
    CLI::App* verb = app.add_subcommand("serve", "Live web page of servers, and /metrics")->group(group_record);
    add_targets(*verb, *options);
    add_listening(*verb, *options);
    verb->add_option("--source", options->sources, "Only these (default: every available one but probes)")
        ->type_name("LIST")
        ->check(not_empty);
    const auto interval = [options](int ms) { options->serve.interval = std::chrono::milliseconds(ms); };
    add_number<int>(*verb, "--interval", "MS", shortest_interval_ms, longest_interval_ms, interval,
                    "Length of a window (default: 1000)");
    const auto keep = [options](int minutes) { options->serve.keep = std::chrono::minutes(minutes); };
    add_number<int>(*verb, "--keep", "MINUTES", 1, longest_keep_min, keep, "How far back the page goes (default: 5)");
    verb->add_flag("--events", options->session.events,
                   "Also time snapshots, from the events of the patched server's rings");
    verb->add_flag("--yes", options->session.yes, "Probe a binary that other clusters run too");
    verb->add_option("--record-to", options->record_to, "Folder for runs that the page is asked to record")
        ->type_name("DIR")
        ->check(not_empty);
    verb->footer(examples);
    verb->callback(
        [&context, options] { context.action = [&context, options] { return run_serve(*options, context); }; });
}

} // namespace snapscope::cli
