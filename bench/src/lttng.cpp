#include "lttng.hpp"

#include "report.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/lab/account.hpp>

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

namespace snapscope::bench {
namespace {

using namespace std::chrono_literals;

constexpr const char* daemon_path = "/usr/bin/lttng-sessiond";
constexpr const char* name = "snapscope-bench";

} // namespace

Command LttngSession::command(std::vector<std::string> argv) const {
    Command command;
    command.argv = std::move(argv);
    command.account = account_;
    command.folder = folder_.path();
    const auto home = (folder_.path() / "home").string();
    // A registration that is waited for: the first events would go nowhere else.
    command.environment = {{"HOME", home}, {"LTTNG_HOME", home}, {"LTTNG_UST_REGISTER_TIMEOUT", "-1"}};
    return command;
}

std::string LttngSession::run(std::vector<std::string> argv) {
    const auto text = fmt::format("{}", fmt::join(argv, " "));
    const auto finished = run_to_end(command(std::move(argv)), 60s);
    if (!finished || finished->status != 0)
        give_up(fmt::format("{}: {}", text, finished ? finished->output : finished.error().message()));
    return finished->output;
}

std::unique_ptr<LttngSession> LttngSession::start(std::string& absent) {
    if (::access(daemon_path, X_OK) != 0 || std::string(SNAPSCOPE_LTTNG_EMITTER).empty()) {
        absent = "lttng-tools or liblttng-ust-dev is not installed";
        return nullptr;
    }
    auto folder = ScratchFolder::create();
    if (!folder)
        give_up(folder.error().message());
    std::unique_ptr<LttngSession> session(new LttngSession(std::move(*folder)));
    const auto account = server_account();
    if (!account)
        give_up(account.error().message());
    session->account_ = *account;
    for (const char* part : {"home", "trace"}) {
        const auto path = session->folder_.path() / part;
        std::filesystem::create_directory(path);
        if (*account && ::chown(path.c_str(), (*account)->uid, (*account)->gid) != 0)
            give_up("cannot give LTTng its folder");
    }
    auto daemon = Process::start(session->command({daemon_path, "--no-kernel"}));
    if (!daemon)
        give_up(daemon.error().message());
    session->daemon_.emplace(std::move(*daemon));
    for (int tries = 0; !std::filesystem::exists(session->folder_.path() / "home/.lttng/client-lttng-sessiond");) {
        if (++tries > 200 || session->daemon_->wait_for(50ms))
            give_up("lttng-sessiond does not start: " + session->daemon_->output());
    }
    session->run({"lttng", "create", name, "--output=" + (session->folder_.path() / "trace").string()});
    session->open_ = true;
    // As roomy as our ring is for what a round emits: nothing is to be discarded.
    session->run({"lttng", "enable-channel", "-u", "-s", name, "--subbuf-size=2M", "--num-subbuf=8", "events"});
    session->run({"lttng", "enable-event", "-u", "-s", name, "-c", "events", "snapscope_bench:snapshot_done"});
    session->run({"lttng", "start", name});
    return session;
}

LttngSession::~LttngSession() {
    if (daemon_)
        daemon_->stop(SIGTERM, 5s);
}

double LttngSession::emit(std::uint64_t events) {
    const auto output = run({SNAPSCOPE_LTTNG_EMITTER, std::to_string(events)});
    const auto ns = parse_double(trim(output));
    if (!ns)
        give_up("the LTTng emitter said: " + output);
    return *ns;
}

std::uint64_t LttngSession::stored() {
    if (open_)
        run({"lttng", "destroy", name});
    open_ = false;
    const auto output = run({"babeltrace2", "--component", "sink.utils.counter", (folder_.path() / "trace").string()});
    // "        N Event messages", again and again; the last one counts.
    const auto end = output.rfind(" Event message");
    const auto begin = end == std::string::npos ? end : output.rfind('\n', end);
    const auto count = begin == std::string::npos
                           ? std::nullopt
                           : parse_integer<std::uint64_t>(trim(output.substr(begin, end - begin)));
    if (!count)
        give_up("babeltrace2 said: " + output);
    return *count;
}

} // namespace snapscope::bench
