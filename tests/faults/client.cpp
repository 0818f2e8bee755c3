#include "client.hpp"

#include <snapscope/base/text.hpp>

namespace snapscope::test {
namespace {

struct ClearResult {
    void operator()(PGresult* result) const { PQclear(result); }
};
using OwnedResult = std::unique_ptr<PGresult, ClearResult>;

bool succeeded(const OwnedResult& result) {
    const auto status = PQresultStatus(result.get());
    return status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK;
}

} // namespace

bool Client::run(const std::string& sql) {
    return succeeded(OwnedResult(PQexec(connection_.get(), sql.c_str())));
}

std::optional<std::string> Client::value(const std::string& sql) {
    const OwnedResult result(PQexec(connection_.get(), sql.c_str()));
    if (!succeeded(result) || PQntuples(result.get()) == 0 || PQgetisnull(result.get(), 0, 0) != 0)
        return std::nullopt;
    return PQgetvalue(result.get(), 0, 0);
}

std::optional<std::int64_t> Client::number(const std::string& sql) {
    const auto text = value(sql);
    return text ? parse_integer<std::int64_t>(*text) : std::nullopt;
}

bool Client::finish() {
    bool well = true;
    while (const OwnedResult result{PQgetResult(connection_.get())})
        well = well && succeeded(result);
    return well;
}

} // namespace snapscope::test
