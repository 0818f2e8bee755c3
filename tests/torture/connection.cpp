#include "connection.hpp"

#include <cstdlib>

namespace snapscope::torture {

std::int64_t Rows::number(int row, int column) const {
    return std::strtoll(PQgetvalue(result_.get(), row, column), nullptr, 10);
}

std::int64_t Rows::affected() const {
    return std::strtoll(PQcmdTuples(result_.get()), nullptr, 10);
}

// Warnings are part of the game: ROLLBACK after all was over, another's crash.
Connection::Connection(const std::string& conninfo, const std::string& settings)
    : connection_(PQconnectdb((conninfo + " options='-c client_min_messages=error " + settings + "'").c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK)
        throw StatementFailed{"", PQerrorMessage(connection_.get()), "connect", true};
}

Rows Connection::query(const std::string& sql) {
    PGresult* result = PQexec(connection_.get(), sql.c_str());
    Rows rows(result); // owns it
    const auto status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK)
        return rows;
    const char* field = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const std::string sqlstate = field != nullptr ? field : "";
    // After one of 57P0x (shutdown, crash) the connection is as good as closed.
    const bool lost = sqlstate.empty() || sqlstate.starts_with("57P") || PQstatus(connection_.get()) != CONNECTION_OK;
    throw StatementFailed{sqlstate, PQerrorMessage(connection_.get()), sql, lost};
}

} // namespace snapscope::torture
