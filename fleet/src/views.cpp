#include "views.hpp"

#include "lake_files.hpp"
#include "tables.hpp"

#include <fmt/format.h>
#include <string_view>

namespace snapscope {
namespace {

bool has_files(const std::filesystem::path& lake, const char* table) {
    for (const std::string& month : months_of(lake, table))
        if (!files_of(month_folder(lake, table, month)).empty())
            return true;
    return false;
}

} // namespace

std::string glob_quoted(const std::string& path) {
    std::string out;
    for (const char letter : path)
        out +=
            letter == '*' || letter == '?' || letter == '[' ? std::string("[") + letter + "]" : std::string(1, letter);
    return out;
}

Status make_views(Database& database, const std::filesystem::path& lake, const std::string& schema) {
    SNAPSCOPE_TRY(database.run(fmt::format("CREATE SCHEMA IF NOT EXISTS {}", schema)));
    for (const LakeTable& table : lake_tables()) {
        const std::string name = fmt::format("{}.{}", schema, table.name);
        if (!has_files(lake, table.name)) {
            std::string columns;
            for (const Column& column : table.columns)
                columns += fmt::format("CAST(NULL AS {}) AS \"{}\", ", column.type, column.name);
            SNAPSCOPE_TRY(
                database.run(fmt::format("CREATE VIEW {} AS SELECT {}'' AS month WHERE false", name, columns)));
            continue;
        }
        const std::string glob = glob_quoted((lake / table.name).string()) + "/month=*/*.parquet";
        const bool counts_by_itself = std::string_view(table.name) == "runs";
        SNAPSCOPE_TRY(database.run(fmt::format(
            "CREATE VIEW {} AS SELECT * FROM read_parquet({}, union_by_name = true, hive_partitioning = true, "
            "hive_types = {{'month': VARCHAR}}){}",
            name, sql_literal(glob),
            counts_by_itself ? "" : fmt::format(" SEMI JOIN {}.runs USING (run_id, ingest)", schema))));
    }
    return {};
}

} // namespace snapscope
