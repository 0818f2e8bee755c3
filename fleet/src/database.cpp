#include "database.hpp"

#include <array>
#include <fmt/format.h>
#include <thread>
#include <utility>

namespace snapscope {
namespace {

// DuckDB's messages have several lines; the first says what, the rest quotes.
std::string one_line(const char* message) {
    std::string text = message ? message : "no reason given";
    if (const auto end = text.find('\n'); end != std::string::npos)
        text.resize(end);
    return text;
}

std::string text_of(const duck_string& value) {
    const std::uint32_t length = value.inlined.length; // of either form
    return {length <= sizeof value.inlined.bytes ? value.inlined.bytes : value.pointer.bytes, length};
}

// The query without the semicolon that people end it with.
std::string_view without_semicolon(std::string_view sql) {
    const auto last = sql.find_last_not_of(" \t\r\n;");
    return last == std::string_view::npos ? std::string_view() : sql.substr(0, last + 1);
}

class ResultOwner {
  public:
    explicit ResultOwner(const DuckApi& api) : api_(&api) {}
    ResultOwner(const ResultOwner&) = delete;
    ResultOwner& operator=(const ResultOwner&) = delete;
    ResultOwner(ResultOwner&&) = delete;
    ResultOwner& operator=(ResultOwner&&) = delete;
    ~ResultOwner() { api_->destroy_result(&result_); }
    [[nodiscard]] duck_result* get() { return &result_; }
    [[nodiscard]] duck_result value() const { return result_; }

  private:
    const DuckApi* api_;
    duck_result result_{};
};

} // namespace

std::string sql_literal(std::string_view text) {
    std::string out = "'";
    for (const char letter : text) {
        out += letter;
        if (letter == '\'')
            out += letter;
    }
    return out + "'";
}

struct Database::State {
    const DuckApi* api = nullptr;
    duck_handle database = nullptr, connection = nullptr;

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    State(State&&) = delete;
    State& operator=(State&&) = delete;
    ~State() {
        if (connection)
            api->disconnect(&connection);
        if (database)
            api->close(&database);
    }
};

Database::Database(std::unique_ptr<State> state) : state_(std::move(state)) {}
Database::Database(Database&&) noexcept = default;
Database::~Database() = default;

Result<Database> Database::open(const std::filesystem::path& library) {
    const auto api = load_duckdb(library);
    if (!api)
        return fail(api.error());
    auto state = std::make_unique<State>();
    state->api = *api;
    duck_handle config = nullptr;
    if ((*api)->create_config(&config) != 0)
        return fail("DuckDB cannot be configured");
    const std::string threads = std::to_string(std::max(1u, std::thread::hardware_concurrency()));
    const std::array<std::pair<const char*, const char*>, 6> settings{{
        {"autoinstall_known_extensions", "false"},
        {"autoload_known_extensions", "false"},
        {"allow_community_extensions", "false"},
        {"memory_limit", memory_limit},
        {"temp_directory", ""}, // nothing is spilled to disk
        {"threads", threads.c_str()},
    }};
    bool configured = true;
    for (const auto& [name, value] : settings)
        configured = configured && (*api)->set_config(config, name, value) == 0;
    char* error = nullptr;
    const bool opened = configured && (*api)->open_ext(nullptr, &state->database, config, &error) == 0 &&
                        (*api)->connect(state->database, &state->connection) == 0;
    (*api)->destroy_config(&config);
    const std::string said = error ? one_line(error) : "";
    if (error)
        (*api)->free(error);
    if (!opened)
        return fail(fmt::format("DuckDB {} does not start: {}", (*api)->library_version(), said),
                    "1.2 or later is needed; --duckdb names another");
    return Database(std::move(state));
}

Status Database::run(const std::string& sql) {
    ResultOwner result(*state_->api);
    if (state_->api->query(state_->connection, sql.c_str(), result.get()) != 0)
        return fail("DuckDB: " + one_line(state_->api->result_error(result.get())));
    return {};
}

Result<SqlTable> Database::fetch(const std::string& sql) {
    const DuckApi& api = *state_->api;
    ResultOwner result(api);
    if (api.query(state_->connection, sql.c_str(), result.get()) != 0)
        return fail("DuckDB: " + one_line(api.result_error(result.get())));
    SqlTable table;
    const duck_idx columns = api.column_count(result.get());
    for (duck_idx column = 0; column < columns; ++column)
        table.names.emplace_back(api.column_name(result.get(), column));
    while (duck_handle chunk = api.fetch_chunk(result.value())) {
        const duck_idx size = api.data_chunk_get_size(chunk);
        const std::size_t first = table.rows.size();
        table.rows.resize(first + size, std::vector<std::optional<std::string>>(columns));
        for (duck_idx column = 0; column < columns; ++column) {
            const duck_handle vector = api.data_chunk_get_vector(chunk, column);
            const auto* values = static_cast<const duck_string*>(api.vector_get_data(vector));
            const std::uint64_t* valid = api.vector_get_validity(vector); // null: all
            for (duck_idx row = 0; row < size; ++row)
                if (!valid || (valid[row / 64] >> (row % 64) & 1))
                    table.rows[first + row][column] = text_of(values[row]);
        }
        api.destroy_data_chunk(&chunk);
    }
    return table;
}

Result<SqlTable> Database::select(std::string_view sql) {
    const DuckApi& api = *state_->api;
    const std::string inner = "(\n" + std::string(without_semicolon(sql)) + "\n)";
    // Within brackets only a query parses; two statements do not hide in them.
    const std::string as_text = "SELECT CAST(COLUMNS(*) AS VARCHAR) FROM " + inner;
    duck_handle statements = nullptr;
    const duck_idx count = api.extract_statements(state_->connection, as_text.c_str(), &statements);
    const std::string said = count == 0 ? one_line(api.extract_statements_error(statements)) : "";
    api.destroy_extracted(&statements);
    if (count != 1)
        return fail("no single query: " + (count == 0 ? said : fmt::format("{} statements", count)), "give one SELECT",
                    ErrorClass::usage);
    const auto described = fetch("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + inner + ")");
    if (!described)
        return fail(described.error());
    auto table = fetch(as_text);
    if (!table)
        return table;
    for (const auto& row : described->rows)
        table->types.push_back(row.at(1).value_or(""));
    return table;
}

Result<Appender> Database::append_to(const char* table) {
    duck_handle appender = nullptr;
    if (state_->api->appender_create(state_->connection, nullptr, table, &appender) != 0) {
        const std::string said = one_line(state_->api->appender_error(appender));
        state_->api->appender_destroy(&appender);
        return fail(fmt::format("DuckDB cannot append to {}: {}", table, said));
    }
    return Appender(*state_->api, appender);
}

Status Database::confine_to(const std::vector<std::string>& folders) {
    std::string list;
    for (const std::string& folder : folders)
        list += (list.empty() ? "" : ", ") + sql_literal(folder + "/");
    SNAPSCOPE_TRY(run("SET allowed_directories = [" + list + "]"));
    SNAPSCOPE_TRY(run("SET enable_external_access = false"));
    return run("SET lock_configuration = true");
}

Appender::Appender(Appender&& other) noexcept
    : api_(other.api_), appender_(std::exchange(other.appender_, nullptr)), failed_(other.failed_) {}

Appender::~Appender() {
    if (appender_)
        api_->appender_destroy(&appender_);
}

Appender& Appender::note(duck_state state) {
    failed_ = failed_ || state != 0;
    return *this;
}

Appender& Appender::add(std::string_view text) {
    return note(api_->append_varchar_length(appender_, text.data(), text.size()));
}
Appender& Appender::add(double number) {
    return note(api_->append_double(appender_, number));
}
Appender& Appender::add(bool flag) {
    return note(api_->append_bool(appender_, flag));
}
Appender& Appender::add(std::int64_t number) {
    return note(api_->append_int64(appender_, number));
}
Appender& Appender::add(std::uint64_t number) {
    return note(api_->append_uint64(appender_, number));
}
Appender& Appender::null() {
    return note(api_->append_null(appender_));
}
void Appender::end_row() {
    note(api_->appender_end_row(appender_));
}

Status Appender::flush() {
    note(api_->appender_flush(appender_));
    if (failed_)
        return fail("DuckDB refuses a row: " + one_line(api_->appender_error(appender_)));
    return {};
}

} // namespace snapscope
