#include "server.hpp"

#include "report.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fmt/format.h>
#include <fstream>
#include <sstream>
#include <sys/resource.h>
#include <unistd.h>

namespace snapscope::bench {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kb_a_backend = 1300; // measured: about 1.2 MB each with idle connections
constexpr std::size_t spare_kb = 1'500'000;

// Of the servers that this repository builds or unpacks.
constexpr const char* extension_is_there = "SELECT 1 FROM pg_available_extensions WHERE name = 'snapscope_test'";

constexpr std::array others = {contender::pg14, contender::pg16, contender::pg17, contender::pg18};

bool need_not_be_here(const std::string& contender) {
    return contender == contender::debian15 || std::ranges::find(others, contender) != others.end();
}

std::string variable_of(const std::string& contender) {
    if (contender == contender::unpatched || contender == contender::again)
        return "SNAPSCOPE_PG_UNPATCHED_PREFIX";
    if (contender == contender::debian15)
        return "SNAPSCOPE_PG_DEBIAN15_PREFIX";
    if (need_not_be_here(contender))
        return fmt::format("SNAPSCOPE_PG{}_PREFIX", contender.substr(2));
    return "SNAPSCOPE_PG_PREFIX";
}

std::optional<std::filesystem::path> prefix_of(const std::string& contender) {
    const char* value = std::getenv(variable_of(contender).c_str());
    if (value == nullptr || *value == '\0')
        return std::nullopt;
    return value;
}

} // namespace

std::unique_ptr<Server> Server::start(const std::string& contender, const Settings& settings,
                                      const std::string& label) {
    const auto prefix = prefix_of(contender);
    if (!prefix)
        give_up(fmt::format("{} is not set; run through ./dev bench", variable_of(contender)));
    std::unique_ptr<Server> server(new Server);
    server->name_ = label.empty() ? contender : label;
    server->prefix_ = *prefix;
    server->patched_ = variable_of(contender) == "SNAPSCOPE_PG_PREFIX";
    ClusterOptions options;
    options.prefix = *prefix;
    options.settings = settings;
    if (server->patched_)
        options.settings.emplace_back("snapshot_cache", contender);
    auto cluster = Cluster::start(options);
    if (!cluster)
        give_up(fmt::format("{}: {}", server->name_, cluster.error().message()));
    server->cluster_ = std::make_unique<Cluster>(std::move(*cluster));
    for (int i = 0; i < 2; ++i)
        server->sessions_.push_back(std::make_unique<Session>(server->conninfo()));
    if (!server->session().row(extension_is_there).empty())
        server->session().execute("CREATE EXTENSION snapscope_test");
    return server;
}

void Server::hold_idle(std::size_t count) {
    if (count < idle_count_) {
        const auto others = children() - idle_count_;
        idle_.clear();
        idle_count_ = 0;
        wait_for_children(others);
    }
    if (count == idle_count_)
        return;
    auto opened = IdleConnections::open({.socket = cluster_->socket()}, count - idle_count_);
    if (!opened)
        give_up(fmt::format("{}: {}", name_, opened.error().message()));
    idle_.push_back(std::move(*opened));
    idle_count_ = count;
}

double Server::children_cpu_us() const {
    std::ifstream stat(fmt::format("/proc/{}/stat", cluster_->pid()));
    std::string line;
    std::getline(stat, line);
    std::istringstream fields(line.substr(line.rfind(')') + 2));
    std::string skipped;
    for (int i = 0; i < 13; ++i)
        fields >> skipped;
    double user = 0;
    double system = 0;
    fields >> user >> system;
    return (user + system) * 1e6 / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

std::size_t Server::children() const {
    std::ifstream list(fmt::format("/proc/{0}/task/{0}/children", cluster_->pid()));
    std::size_t count = 0;
    for (std::string pid; list >> pid;)
        ++count;
    return count;
}

// An ended backend's time is the postmaster's once it has been waited for.
void Server::wait_for_children(std::size_t at_most) const {
    const auto limit = std::chrono::steady_clock::now() + 60s;
    while (children() > at_most) {
        if (std::chrono::steady_clock::now() > limit)
            give_up(name_ + ": its backends do not end");
        ::usleep(1000);
    }
}

std::size_t Server::panics() const {
    std::ifstream log(cluster_->log_file());
    std::size_t count = 0;
    for (std::string line; std::getline(log, line);)
        if (line.find("PANIC") != std::string::npos)
            ++count;
    return count;
}

void Server::stop() {
    sessions_.clear();
    idle_.clear();
    idle_count_ = 0;
    cluster_->stop();
}

Servers start_all(const std::vector<std::string>& contenders, const Settings& settings,
                  std::vector<std::string>& absent) {
    Servers servers;
    for (const auto& name : contenders) {
        if (need_not_be_here(name) && !prefix_of(name)) {
            absent.push_back(name);
            continue;
        }
        servers.push_back(Server::start(name, settings));
    }
    return servers;
}

Server* find_if_there(const Servers& servers, const std::string& name) {
    const auto at = std::find_if(servers.begin(), servers.end(), [&](const auto& one) { return one->name() == name; });
    return at == servers.end() ? nullptr : at->get();
}

Server& find(const Servers& servers, const std::string& name) {
    auto* server = find_if_there(servers, name);
    if (server == nullptr)
        give_up("there is no server " + name);
    return *server;
}

bool has_memory_for(std::size_t backends) {
    std::ifstream info("/proc/meminfo");
    std::string name;
    std::size_t kb = 0;
    std::string unit;
    while (info >> name >> kb >> unit)
        if (name == "MemAvailable:")
            return kb > backends * kb_a_backend + spare_kb;
    return false;
}

void raise_open_files_limit() {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    limit.rlim_cur = limit.rlim_max;
    (void)::setrlimit(RLIMIT_NOFILE, &limit); // what is missing is said when it is needed
}

} // namespace snapscope::bench
