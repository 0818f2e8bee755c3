// The functions of DuckDB's C API that are used here, looked up in a library
// that is loaded at run time: no header and no library of it is needed to build.
//
// Types and signatures are those of the API that DuckDB calls stable (1.0 on;
// https://duckdb.org/docs/stable/clients/c/api).  Handles are opaque pointers
// there too; only duckdb_result is a structure, never looked into.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstddef>
#include <cstdint>
#include <filesystem>

namespace snapscope {

using duck_state = int; // 0: success
using duck_idx = std::uint64_t;
using duck_handle = void*;

// duckdb_result: counters that are no longer used, then a pointer.
struct duck_result {
    duck_idx unused_counts[3];
    void* unused_columns;
    char* unused_error;
    void* internal;
};

// duckdb_string_t: up to 12 bytes in place, longer ones by pointer.
union duck_string {
    struct {
        std::uint32_t length;
        char bytes[12];
    } inlined;
    struct {
        std::uint32_t length;
        char prefix[4];
        char* bytes;
    } pointer;
};
static_assert(sizeof(duck_string) == 16);

struct DuckApi {
    const char* (*library_version)();
    duck_state (*create_config)(duck_handle* config);
    duck_state (*set_config)(duck_handle config, const char* name, const char* value);
    void (*destroy_config)(duck_handle* config);
    duck_state (*open_ext)(const char* path, duck_handle* database, duck_handle config, char** error);
    void (*close)(duck_handle* database);
    duck_state (*connect)(duck_handle database, duck_handle* connection);
    void (*disconnect)(duck_handle* connection);
    void (*free)(void* memory);

    duck_state (*query)(duck_handle connection, const char* sql, duck_result* result);
    void (*destroy_result)(duck_result* result);
    const char* (*result_error)(duck_result* result);
    duck_idx (*column_count)(duck_result* result);
    const char* (*column_name)(duck_result* result, duck_idx column);
    duck_handle (*fetch_chunk)(duck_result result);
    duck_idx (*data_chunk_get_size)(duck_handle chunk);
    duck_handle (*data_chunk_get_vector)(duck_handle chunk, duck_idx column);
    void (*destroy_data_chunk)(duck_handle* chunk);
    void* (*vector_get_data)(duck_handle vector);
    std::uint64_t* (*vector_get_validity)(duck_handle vector);

    duck_idx (*extract_statements)(duck_handle connection, const char* sql, duck_handle* statements);
    const char* (*extract_statements_error)(duck_handle statements);
    void (*destroy_extracted)(duck_handle* statements);

    duck_state (*appender_create)(duck_handle connection, const char* schema, const char* table, duck_handle* appender);
    const char* (*appender_error)(duck_handle appender);
    duck_state (*appender_end_row)(duck_handle appender);
    duck_state (*appender_flush)(duck_handle appender);
    duck_state (*appender_destroy)(duck_handle* appender);
    duck_state (*append_bool)(duck_handle appender, bool value);
    duck_state (*append_int64)(duck_handle appender, std::int64_t value);
    duck_state (*append_uint64)(duck_handle appender, std::uint64_t value);
    duck_state (*append_double)(duck_handle appender, double value);
    duck_state (*append_varchar_length)(duck_handle appender, const char* value, duck_idx length);
    duck_state (*append_null)(duck_handle appender);
};

// Loads the library at PATH, or the first there is of: the system's
// libduckdb.so, the one that `./dev setup` put into the cache folder.  Gives up
// every capability of this thread before; the library stays loaded.
[[nodiscard]] Result<const DuckApi*> load_duckdb(const std::filesystem::path& path);

} // namespace snapscope
