// A DuckDB database in memory: SQL in, rows of text out, and rows appended.
// It loads no extension, keeps nothing on disk and stays below a memory bound.
#pragma once

#include "duckdb_api.hpp"

#include <snapscope/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

// Every value as DuckDB prints it; nullopt: NULL.
struct SqlTable {
    std::vector<std::string> names, types; // types: DOUBLE, VARCHAR, ...
    std::vector<std::vector<std::optional<std::string>>> rows;
};

// 'text' as an SQL literal.
[[nodiscard]] std::string sql_literal(std::string_view text);

class Database;

// Rows into a table of the database, column by column; an error shows at the end.
class Appender {
  public:
    Appender(const DuckApi& api, duck_handle appender) : api_(&api), appender_(appender) {}
    Appender(Appender&& other) noexcept;
    Appender(const Appender&) = delete;
    Appender& operator=(const Appender&) = delete;
    Appender& operator=(Appender&&) = delete;
    ~Appender();

    Appender& add(std::string_view text);
    Appender& add(const char* text) { return add(std::string_view(text)); }
    Appender& add(double number);
    Appender& add(bool flag);
    Appender& add(std::int64_t number);
    Appender& add(std::uint64_t number);
    Appender& add(std::uint32_t number) { return add(std::uint64_t{number}); }
    Appender& add(int number) { return add(std::int64_t{number}); }
    Appender& null();
    template <typename T> Appender& add(const std::optional<T>& value) { return value ? add(*value) : null(); }
    void end_row();
    [[nodiscard]] Status flush();

  private:
    Appender& note(duck_state state);

    const DuckApi* api_;
    duck_handle appender_;
    bool failed_ = false;
};

class Database {
  public:
    static constexpr const char* memory_limit = "1GB";

    // `library`: DuckDB's, as load_duckdb() takes it.
    [[nodiscard]] static Result<Database> open(const std::filesystem::path& library);
    Database(Database&&) noexcept;
    Database(const Database&) = delete;
    Database& operator=(const Database&) = delete;
    Database& operator=(Database&&) = delete;
    ~Database();

    [[nodiscard]] Status run(const std::string& sql);
    // The rows of one SELECT.  Anything else is refused: class usage.
    [[nodiscard]] Result<SqlTable> select(std::string_view sql);
    [[nodiscard]] Result<Appender> append_to(const char* table);
    // From now on no file is read but those whose path begins with one of these,
    // and no setting can be changed.
    [[nodiscard]] Status confine_to(const std::vector<std::string>& folders);

  private:
    struct State;
    explicit Database(std::unique_ptr<State> state);
    [[nodiscard]] Result<SqlTable> fetch(const std::string& sql);
    std::unique_ptr<State> state_;
};

} // namespace snapscope
