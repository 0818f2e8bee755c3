#include "session.hpp"

#include "report.hpp"

#include <snapscope/base/text.hpp>

#include <libpq-fe.h>
#include <numeric>
#include <sched.h>
#include <thread>

namespace snapscope::bench {

namespace {

struct Clear {
    void operator()(PGresult* result) const { PQclear(result); }
};
using ResultPointer = std::unique_ptr<PGresult, Clear>;

} // namespace

void Session::Close::operator()(pg_conn* connection) const {
    PQfinish(connection);
}

Session::Session(const std::string& conninfo) : connection_(PQconnectdb(conninfo.c_str())) {
    if (PQstatus(connection_.get()) != CONNECTION_OK)
        fail();
    execute("SET client_min_messages = warning");
}

void Session::fail() const {
    give_up(std::string(trim(PQerrorMessage(connection_.get()))));
}

void Session::send(const std::string& sql) {
    if (PQsendQuery(connection_.get(), sql.c_str()) != 1)
        fail();
}

std::vector<std::string> Session::receive_row() {
    std::vector<std::string> values;
    while (const ResultPointer result{PQgetResult(connection_.get())}) {
        const auto status = PQresultStatus(result.get());
        if (status != PGRES_TUPLES_OK && status != PGRES_COMMAND_OK)
            fail();
        if (PQntuples(result.get()) == 0)
            continue;
        values.clear();
        for (int i = 0; i < PQnfields(result.get()); ++i)
            values.emplace_back(PQgetvalue(result.get(), 0, i));
    }
    return values;
}

double Session::receive_number() {
    const auto values = receive_row();
    const auto parsed = values.size() == 1 ? parse_double(values.front()) : std::nullopt;
    if (!parsed)
        give_up("a query that should give one number did not");
    return *parsed;
}

std::vector<std::string> Session::row(const std::string& sql) {
    send(sql);
    return receive_row();
}

double Session::number(const std::string& sql) {
    send(sql);
    return receive_number();
}

void Session::execute(const std::string& sql) {
    (void)row(sql);
}

void Session::run_on(const std::vector<int>& cpus) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : cpus)
        CPU_SET(static_cast<std::size_t>(cpu), &set);
    if (::sched_setaffinity(PQbackendPID(connection_.get()), sizeof set, &set) != 0)
        give_up("cannot choose the CPUs of a backend");
}

void Session::pin(int cpu) {
    run_on({cpu});
}

void Session::unpin() {
    std::vector<int> all(std::thread::hardware_concurrency());
    std::iota(all.begin(), all.end(), 0);
    run_on(all);
}

} // namespace snapscope::bench
