// serve_stage PROGRAM SERVERS RATE [OPTION...]
//
// What tests of the live page need: patched servers under a steady load, with a
// session of hostile names on the first, and `PROGRAM serve` looking at them
// with these options.  Prints one line of JSON, then acts on lines of stdin
// ("restart": the first server; "answer": "done") until it is closed.
// Exit 77: no patched server is built; the last line says so.
#include <snapscope/lab/cluster.hpp>
#include <snapscope/lab/process.hpp>

#include <csignal>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <libpq-fe.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <vector>

namespace snapscope {
namespace {

using namespace std::chrono_literals;

constexpr const char* hostile_database = "\"><script>window.hacked=1</script> \u05e9\u05dc\u05d5\u05dd";
constexpr const char* hostile_application = "'\"<img src=x onerror=hacked()> \U0001f418 \u202egpj";

struct Finish {
    void operator()(PGconn* connection) const { PQfinish(connection); }
};
using Connection = std::unique_ptr<PGconn, Finish>;

template <class T> T value(Result<T> result) {
    if (!result)
        throw std::runtime_error(result.error().message());
    return std::move(*result);
}

Connection connect(const Cluster& cluster, const std::vector<std::pair<std::string, std::string>>& more) {
    std::vector<const char*> names{"host", "port", "user"};
    const std::string host = cluster.socket_folder().string();
    const std::string port = std::to_string(cluster.port());
    std::vector<const char*> values{host.c_str(), port.c_str(), cluster.user().c_str()};
    for (const auto& [name, text] : more) {
        names.push_back(name.c_str());
        values.push_back(text.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);
    Connection out(PQconnectdbParams(names.data(), values.data(), 0));
    if (PQstatus(out.get()) != CONNECTION_OK)
        throw std::runtime_error(PQerrorMessage(out.get()));
    return out;
}

void run(const Connection& connection, const std::string& sql) {
    PGresult* result = PQexec(connection.get(), sql.c_str());
    const auto status = PQresultStatus(result);
    PQclear(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        throw std::runtime_error(PQerrorMessage(connection.get()));
}

// Holds an xid, so that it is seen, in a database and under an application's name that mean harm.
Connection hostile_session(const Cluster& cluster) {
    const auto plain = connect(cluster, {{"dbname", "postgres"}});
    std::string quoted;
    for (const char c : std::string(hostile_database))
        quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
    run(plain, "create database \"" + quoted + "\"");
    auto out = connect(cluster, {{"dbname", hostile_database}, {"application_name", hostile_application}});
    run(out, "begin; select txid_current()");
    return out;
}

class Stage {
  public:
    Stage(const std::filesystem::path& prefix, int servers, const std::string& rate) : prefix_(prefix), rate_(rate) {
        for (int i = 0; i < servers; ++i) {
            ClusterOptions options;
            options.prefix = prefix;
            options.port = static_cast<std::uint16_t>(5432 + i);
            options.settings = {{"snapshot_cache", "copy"}, {"max_connections", "60"}, {"shared_buffers", "16MB"}};
            clusters_.push_back(std::make_unique<Cluster>(value(Cluster::start(options))));
            if (pgbench(i, {"-i", "-q", "-s", "1"}).wait_for(60s) != 0)
                throw std::runtime_error("pgbench could not fill its tables");
            loads_.push_back(std::make_unique<Process>(load(i)));
        }
        hostile_ = hostile_session(*clusters_.front());
    }

    [[nodiscard]] std::vector<std::string> targets() const {
        std::vector<std::string> out;
        for (const auto& cluster : clusters_)
            out.insert(out.end(), {"--pgdata", cluster->data_folder().string()});
        return out;
    }

    void restart() {
        loads_.front().reset();
        hostile_.reset();
        if (const auto done = clusters_.front()->restart({}); !done)
            throw std::runtime_error(done.error().message());
        loads_.front() = std::make_unique<Process>(load(0));
    }

  private:
    Process pgbench(int i, std::vector<std::string> arguments) const {
        Command command;
        command.argv = {(prefix_ / "bin" / "pgbench").string()};
        command.argv.insert(command.argv.end(), arguments.begin(), arguments.end());
        command.environment = clusters_[static_cast<std::size_t>(i)]->environment();
        return value(Process::start(std::move(command)));
    }

    // At a rate that leaves the machine idle: what is lost is not the load's fault.
    Process load(int i) const { return pgbench(i, {"-n", "-c", "4", "-R", rate_, "-T", "900"}); }

    std::filesystem::path prefix_;
    std::string rate_;
    std::vector<std::unique_ptr<Cluster>> clusters_;
    std::vector<std::unique_ptr<Process>> loads_;
    Connection hostile_;
};

std::string first_line(Process& process) {
    for (int tries = 0; tries < 600 && process.output().find('\n') == std::string::npos; ++tries)
        if (process.wait_for(100ms))
            throw std::runtime_error("serve ended: " + process.errors());
    return process.output().substr(0, process.output().find('\n'));
}

int play(int argc, char** argv) {
    const char* prefix = std::getenv("SNAPSCOPE_PG_PREFIX");
    if (prefix == nullptr || *prefix == '\0') {
        std::cout << "SKIPPED: no patched server is built (SNAPSCOPE_PG_PREFIX)\n";
        return 77;
    }
    if (argc < 4)
        throw std::runtime_error("usage: serve_stage PROGRAM SERVERS RATE [OPTION...]");
    Stage stage(prefix, std::atoi(argv[2]), argv[3]);
    Command command;
    command.argv = {argv[1], "serve", "--listen", "127.0.0.1:0"};
    const auto targets = stage.targets();
    command.argv.insert(command.argv.end(), targets.begin(), targets.end());
    command.argv.insert(command.argv.end(), argv + 4, argv + argc);
    command.output = Command::Output::apart;
    auto serve = value(Process::start(std::move(command)));
    std::cout << nlohmann::json{{"url", first_line(serve)},
                                {"pid", serve.pid()},
                                {"database", hostile_database},
                                {"application", hostile_application},
                                {"pgdata", targets[1]}}
                     .dump()
              << std::endl;
    for (std::string line; std::getline(std::cin, line);) {
        if (line == "restart")
            stage.restart();
        std::cout << "done" << std::endl;
    }
    const int status = serve.stop(SIGTERM, 10s);
    std::cerr << serve.errors();
    return status;
}

} // namespace
} // namespace snapscope

int main(int argc, char** argv) {
    try {
        return snapscope::play(argc, argv);
    } catch (const std::exception& error) {
        std::cerr << "error: " << error.what() << '\n';
        return 1;
    }
}
