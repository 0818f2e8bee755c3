#include "session.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/lab/process.hpp>

#include <cstdlib>

namespace snapscope::test {

using namespace std::chrono_literals;

namespace {

struct ClearResult {
    void operator()(PGresult* result) const { PQclear(result); }
};
using OwnedResult = std::unique_ptr<PGresult, ClearResult>;

bool succeeded(const PGresult* result) {
    const auto status = PQresultStatus(result);
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

} // namespace

Session::Session(const Cluster& cluster, const std::string& database)
    : connection_(PQconnectdb((cluster.conninfo() + " dbname=" + database).c_str())) {
    EXPECT_EQ(PQstatus(connection_.get()), CONNECTION_OK) << PQerrorMessage(connection_.get());
}

void Session::run(const std::string& sql) {
    const OwnedResult result(PQexec(connection_.get(), sql.c_str()));
    EXPECT_TRUE(succeeded(result.get())) << sql << ": " << PQerrorMessage(connection_.get());
}

std::vector<std::string> Session::row(const std::string& sql) {
    const OwnedResult result(PQexec(connection_.get(), sql.c_str()));
    EXPECT_TRUE(succeeded(result.get())) << sql << ": " << PQerrorMessage(connection_.get());
    std::vector<std::string> fields;
    if (PQntuples(result.get()) > 0)
        for (int column = 0; column < PQnfields(result.get()); ++column)
            fields.emplace_back(PQgetvalue(result.get(), 0, column));
    return fields;
}

std::string Session::value(const std::string& sql) {
    auto fields = row(sql);
    return fields.empty() ? std::string{} : std::move(fields.front());
}

std::int64_t Session::number(const std::string& sql) {
    const auto text = value(sql);
    char* end = nullptr;
    const auto parsed = std::strtoll(text.c_str(), &end, 10);
    EXPECT_TRUE(end != text.c_str() && *end == '\0') << sql << " gave '" << text << "'";
    return parsed;
}

void Session::send(const std::string& sql) {
    EXPECT_EQ(PQsendQuery(connection_.get(), sql.c_str()), 1) << PQerrorMessage(connection_.get());
}

void Session::finish() {
    while (const OwnedResult result{PQgetResult(connection_.get())}) {
    }
}

std::string Session::answer() {
    std::string field;
    while (const OwnedResult result{PQgetResult(connection_.get())}) {
        EXPECT_TRUE(succeeded(result.get())) << PQerrorMessage(connection_.get());
        if (PQntuples(result.get()) > 0)
            field = PQgetvalue(result.get(), 0, 0);
    }
    return field;
}

std::filesystem::path patched_prefix() {
    if (const char* named = std::getenv("SNAPSCOPE_PG_PREFIX"); named != nullptr && *named != '\0')
        return named;
    Command command;
    command.argv = {SNAPSCOPE_SOURCE_DIR "/patched-pg/build/build.sh", "--where"};
    const auto built = run_to_end(command, 20s);
    return built && built->status == 0 ? std::filesystem::path(trim(built->output)) : std::filesystem::path{};
}

std::filesystem::path server_prefix(const std::string& server) {
    if (server == "patched")
        return patched_prefix();
    const char* variable = server == "debian15" ? "SNAPSCOPE_PG_DEBIAN15_PREFIX" : "SNAPSCOPE_PG_UNPATCHED_PREFIX";
    const char* named = std::getenv(variable);
    return named == nullptr ? "" : named;
}

ProgramResult run_program(const Cluster& cluster, std::vector<std::string> argv) {
    Command command;
    command.argv = std::move(argv);
    if (!command.argv[0].starts_with('/'))
        command.argv[0] = (patched_prefix() / "bin" / command.argv[0]).string();
    command.environment = cluster.environment();
    const auto finished = run_to_end(command, 300s);
    if (!finished)
        return {-1, finished.error().message()};
    return {finished->status, finished->output};
}

void ServerTest::SetUp() {
    if (patched_prefix().empty())
        GTEST_SKIP() << "no patched PostgreSQL is built (patched-pg/build/build.sh)";
}

void ServerTest::start(std::vector<std::pair<std::string, std::string>> settings) {
    ClusterOptions options;
    options.prefix = patched_prefix();
    options.settings = {{"snapshot_cache", GetParam()}, {"snapshot_cache_verify", "on"}, {"autovacuum", "off"}};
    options.settings.insert(options.settings.end(), settings.begin(), settings.end());
    auto started = Cluster::start(options);
    ASSERT_TRUE(started) << started.error().message();
    cluster_ = std::make_unique<Cluster>(std::move(*started));
}

int count_in_log(const Cluster& cluster, std::string_view text) {
    const auto log = read_file(cluster.log_file(), 64U << 20U);
    EXPECT_TRUE(log) << log.error().message();
    int count = 0;
    if (log)
        for (auto at = log->find(text); at != std::string::npos; at = log->find(text, at + text.size()))
            ++count;
    return count;
}

void ServerTest::TearDown() {
    if (cluster_) {
        EXPECT_EQ(count_in_log(*cluster_, "snapshot cache:"), 0) << "the cache was caught at a difference";
    }
}

} // namespace snapscope::test
