#include "listen.hpp"
#include "site.hpp"

#include <snapscope/collector/capabilities.hpp>
#include <snapscope/recording/run_folder.hpp>
#include <snapscope/serve/serve.hpp>

#include <algorithm>
#include <cerrno>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <unistd.h>

namespace snapscope {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds longest_wait{100}; // `stop` is seen after it
constexpr int politeness = 5;             // niceness: the servers that are watched come first

Result<std::optional<std::string>> token_of(const ServeOptions& options) {
    if (options.token || is_loopback(options.address))
        return options.token;
    auto made = make_run_id();
    if (!made)
        return fail(made.error());
    return std::optional<std::string>(std::move(*made));
}

std::string url_of(const std::string& address, std::uint16_t port, const std::optional<std::string>& token) {
    const bool six = address.find(':') != std::string::npos;
    return fmt::format("http://{}:{}/{}", six ? "[" + address + "]" : address, port, token ? "?token=" + *token : "");
}

Result<std::vector<std::unique_ptr<Watcher>>> watch_all(const ServeOptions& options, int changed) {
    std::vector<std::unique_ptr<Watcher>> out;
    for (const SessionOptions& session : options.servers) {
        Watcher::Options how;
        how.session = session;
        how.interval = options.interval;
        how.limits.keep_ns = std::chrono::nanoseconds(options.keep).count();
        how.record_to = options.record_to;
        how.tool_version = options.tool_version;
        how.note = options.note;
        how.changed = [changed] { static_cast<void>(::eventfd_write(changed, 1)); };
        auto watcher = Watcher::start(std::move(how));
        if (!watcher)
            return fail(watcher.error());
        out.push_back(std::move(*watcher));
    }
    return out;
}

void answer_until(const std::atomic<bool>& stop, HttpServer& http, int changed) {
    while (!stop.load()) {
        pollfd watched[]{{http.fd(), POLLIN, 0}, {changed, POLLIN, 0}};
        const milliseconds wait = std::min(http.timeout().value_or(longest_wait), longest_wait);
        ::poll(watched, 2, static_cast<int>(wait.count()));
        eventfd_t times = 0;
        if (::eventfd_read(changed, &times) == 0)
            http.wake();
        http.run();
    }
}

} // namespace

Status check_serve(const ServeOptions& options) {
    const auto usage = [](std::string what, std::string hint) {
        return fail(std::move(what), std::move(hint), ErrorClass::usage);
    };
    for (const SessionOptions& server : options.servers)
        SNAPSCOPE_TRY(check_session(server));
    if (!is_address(options.address))
        return usage(fmt::format("--listen: '{}' is no address in numbers", options.address),
                     "e.g. 127.0.0.1:9188 or [::1]:9188");
    if (options.token && !is_token(*options.token))
        return usage("the token is not of 32 to 256 letters, digits, - and _", "e.g. openssl rand -hex 16");
    return {};
}

Status serve(const ServeOptions& options, const std::atomic<bool>& stop) {
    SNAPSCOPE_TRY(check_serve(options));
    const auto token = token_of(options);
    if (!token)
        return fail(token.error());
    const UniqueFd changed(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (!changed)
        return fail_errno("cannot make an event descriptor", errno);
    // The port is taken before anything is attached; nobody is answered before
    // there is something to say, and capabilities are given up.
    std::unique_ptr<Site> site;
    HttpServer::Options how;
    how.address = options.address;
    how.port = options.port;
    auto listening = HttpServer::start(how, [&site](const HttpRequest& request) { return site->answer(request); });
    if (!listening)
        return fail(listening.error());
    const auto watchers = watch_all(options, changed.get());
    if (!watchers)
        return fail(watchers.error());
    HttpServer http = std::move(*listening); // ends before the watchers that its readers look at
    keep_only_capabilities({});
    ::setpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()), politeness);
    site = std::make_unique<Site>(*watchers, Guard({options.names, *token, http.port()}), options.record_to.has_value(),
                                  options.tool_version);
    options.ready(url_of(options.address, http.port(), *token));
    answer_until(stop, http, changed.get());
    return {};
}

} // namespace snapscope
