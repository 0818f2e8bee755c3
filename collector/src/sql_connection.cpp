#include "sql_connection.hpp"

#include "thread_identity.hpp"

#include <snapscope/base/text.hpp>

#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <sstream>

namespace snapscope {
namespace {

using Deadline = std::chrono::steady_clock::time_point;

Error unavailable(const std::string& what) {
    return {ErrorClass::unavailable, what, ""};
}

// libpq's reason on one line.
std::string reason_of(const PGconn* connection) {
    std::istringstream words(PQerrorMessage(connection));
    std::string text;
    for (std::string word; words >> word;)
        text += (text.empty() ? "" : " ") + word;
    return text.empty() ? "no reason given" : text;
}

bool wait_for(int socket, short events, Deadline deadline) {
    for (;;) {
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - std::chrono::steady_clock::now());
        if (left.count() <= 0)
            return false;
        pollfd ready{socket, events, 0};
        const int got = ::poll(&ready, 1, static_cast<int>(left.count()));
        if (got > 0)
            return true;
        if (got < 0 && errno != EINTR)
            return false;
    }
}

} // namespace

Result<SqlParameters> merge_parameters(const SqlParameters& defaults, const std::string& dsn) {
    static const std::map<std::string, const char*> variables{
        {"host", "PGHOST"}, {"port", "PGPORT"}, {"user", "PGUSER"}, {"dbname", "PGDATABASE"}};
    SqlParameters merged;
    for (const auto& [name, value] : defaults) {
        const auto variable = variables.find(name);
        if (variable == variables.end() || std::getenv(variable->second) == nullptr)
            merged[name] = value;
    }
    char* message = nullptr;
    const std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)> options(PQconninfoParse(dsn.c_str(), &message),
                                                                               &PQconninfoFree);
    const std::unique_ptr<char, decltype(&PQfreemem)> message_owner(message, &PQfreemem);
    if (!options)
        return fail("--dsn: " + std::string(message != nullptr ? trim(message) : "not understood"),
                    "give keyword=value pairs or a postgresql:// URI", ErrorClass::usage);
    for (const auto* option = options.get(); option->keyword != nullptr; ++option) {
        if (option->val != nullptr)
            merged[option->keyword] = option->val;
    }
    return merged;
}

Result<SqlConnection> SqlConnection::connect(const SqlParameters& parameters, std::optional<uid_t> as_user,
                                             std::chrono::milliseconds timeout) {
    std::vector<const char*> names;
    std::vector<const char*> values;
    for (const auto& [name, value] : parameters) {
        names.push_back(name.c_str());
        values.push_back(value.c_str());
    }
    names.push_back(nullptr);
    values.push_back(nullptr);

    const ThreadIdentity identity(as_user);
    const Deadline deadline = std::chrono::steady_clock::now() + timeout;
    SqlConnection sql;
    sql.connection_.reset(PQconnectStartParams(names.data(), values.data(), 0));
    PGconn* connection = sql.connection_.get();
    if (connection == nullptr)
        return fail(unavailable("no memory for a connection"));
    auto state = PQstatus(connection) == CONNECTION_BAD ? PGRES_POLLING_FAILED : PGRES_POLLING_WRITING;
    while (state == PGRES_POLLING_READING || state == PGRES_POLLING_WRITING) {
        const short events = state == PGRES_POLLING_READING ? POLLIN : POLLOUT;
        if (!wait_for(PQsocket(connection), events, deadline))
            return fail(unavailable("the server did not answer within " + std::to_string(timeout.count()) + " ms"));
        state = PQconnectPoll(connection);
    }
    if (state != PGRES_POLLING_OK)
        return fail(unavailable("login failed: " + reason_of(connection)));
    PQsetnonblocking(connection, 1);
    return sql;
}

Result<SqlRows> SqlConnection::query(const std::string& sql, std::chrono::milliseconds timeout) {
    PGconn* connection = connection_.get();
    const Deadline deadline = std::chrono::steady_clock::now() + timeout;
    if (PQsendQuery(connection, sql.c_str()) == 0)
        return fail(unavailable("query failed: " + reason_of(connection)));
    for (int pending = 1; (pending = PQflush(connection)) != 0;) {
        if (pending < 0 || !wait_for(PQsocket(connection), POLLOUT, deadline))
            return fail(unavailable("query failed: " + reason_of(connection)));
    }
    SqlRows rows;
    std::optional<Error> error;
    for (;;) {
        while (PQisBusy(connection) != 0) {
            if (!wait_for(PQsocket(connection), POLLIN, deadline))
                return fail(unavailable("a query took longer than " + std::to_string(timeout.count()) + " ms"));
            if (PQconsumeInput(connection) == 0)
                return fail(unavailable("query failed: " + reason_of(connection)));
        }
        const std::unique_ptr<PGresult, decltype(&PQclear)> result(PQgetResult(connection), &PQclear);
        if (!result)
            break;
        const auto status = PQresultStatus(result.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK) {
            error = unavailable("query failed: " + reason_of(connection));
            continue;
        }
        for (int row = 0; row < PQntuples(result.get()); ++row) {
            rows.emplace_back();
            for (int column = 0; column < PQnfields(result.get()); ++column)
                rows.back().emplace_back(PQgetvalue(result.get(), row, column));
        }
    }
    if (error)
        return fail(*error);
    return rows;
}

bool SqlConnection::over_local_socket() const {
    const char* host = PQhost(connection_.get());
    return host != nullptr && host[0] == '/';
}

} // namespace snapscope
