#include "duckdb_api.hpp"

#include <snapscope/collector/capabilities.hpp>

#include <array>
#include <cstdlib>
#include <dlfcn.h>
#include <optional>
#include <string>
#include <unistd.h>
#include <vector>

namespace snapscope {
namespace {

constexpr const char* library_name = "libduckdb.so";
constexpr const char* how_to_get = "install DuckDB's library, or name it: --duckdb FILE; ./dev setup puts one into the "
                                   "cache folder";

// As ./dev chooses it.
std::filesystem::path cache_folder() {
    const auto variable = [](const char* name) { return std::getenv(name); };
    if (const char* folder = variable("SNAPSCOPE_CACHE"); folder && *folder)
        return folder;
    if (::geteuid() == 0)
        return "/var/cache/snapscope";
    if (const char* folder = variable("XDG_CACHE_HOME"); folder && *folder)
        return std::filesystem::path(folder) / "snapscope";
    const char* home = variable("HOME");
    return std::filesystem::path(home ? home : "/nonexistent") / ".cache/snapscope";
}

template <typename Function> bool look_up(void* library, const char* name, Function& function) {
    function = reinterpret_cast<Function>(::dlsym(library, name));
    return function != nullptr;
}

// The first function that the library does not have.
std::optional<std::string> fill(void* library, DuckApi& api) {
#define SNAPSCOPE_DUCK(function)                                                                                       \
    if (!look_up(library, "duckdb_" #function, api.function))                                                          \
    return "duckdb_" #function
    SNAPSCOPE_DUCK(library_version);
    SNAPSCOPE_DUCK(create_config);
    SNAPSCOPE_DUCK(set_config);
    SNAPSCOPE_DUCK(destroy_config);
    SNAPSCOPE_DUCK(open_ext);
    SNAPSCOPE_DUCK(close);
    SNAPSCOPE_DUCK(connect);
    SNAPSCOPE_DUCK(disconnect);
    SNAPSCOPE_DUCK(free);
    SNAPSCOPE_DUCK(query);
    SNAPSCOPE_DUCK(destroy_result);
    SNAPSCOPE_DUCK(result_error);
    SNAPSCOPE_DUCK(column_count);
    SNAPSCOPE_DUCK(column_name);
    SNAPSCOPE_DUCK(fetch_chunk);
    SNAPSCOPE_DUCK(data_chunk_get_size);
    SNAPSCOPE_DUCK(data_chunk_get_vector);
    SNAPSCOPE_DUCK(destroy_data_chunk);
    SNAPSCOPE_DUCK(vector_get_data);
    SNAPSCOPE_DUCK(vector_get_validity);
    SNAPSCOPE_DUCK(extract_statements);
    SNAPSCOPE_DUCK(extract_statements_error);
    SNAPSCOPE_DUCK(destroy_extracted);
    SNAPSCOPE_DUCK(appender_create);
    SNAPSCOPE_DUCK(appender_error);
    SNAPSCOPE_DUCK(appender_end_row);
    SNAPSCOPE_DUCK(appender_flush);
    SNAPSCOPE_DUCK(appender_destroy);
    SNAPSCOPE_DUCK(append_bool);
    SNAPSCOPE_DUCK(append_int64);
    SNAPSCOPE_DUCK(append_uint64);
    SNAPSCOPE_DUCK(append_double);
    SNAPSCOPE_DUCK(append_varchar_length);
    SNAPSCOPE_DUCK(append_null);
#undef SNAPSCOPE_DUCK
    return std::nullopt;
}

Result<void*> open_library(const std::filesystem::path& path) {
    std::vector<std::filesystem::path> places{path};
    if (path.empty())
        places = {library_name, cache_folder() / "lib" / library_name};
    std::string said;
    for (const std::filesystem::path& place : places) {
        if (void* library = ::dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL))
            return library;
        const char* why = ::dlerror();
        said = why ? why : "unknown reason";
    }
    if (path.empty())
        return fail("there is no DuckDB library here", how_to_get, ErrorClass::unavailable);
    return fail("cannot load DuckDB's library: " + said, "name the file of libduckdb.so: --duckdb FILE");
}

} // namespace

Result<const DuckApi*> load_duckdb(const std::filesystem::path& path) {
    static DuckApi api;
    static std::optional<std::filesystem::path> loaded;
    if (loaded)
        return &api;
    // A library that the environment may name runs its initialisers here.
    keep_only_capabilities({});
    const auto library = open_library(path);
    if (!library)
        return fail(library.error());
    if (const auto missing = fill(*library, api))
        return fail("DuckDB's library has no function " + *missing,
                    "it is too old or no DuckDB: 1.2 or later is needed");
    loaded = path;
    return &api;
}

} // namespace snapscope
