#include "database.hpp"
#include "lake_files.hpp"
#include "views.hpp"

#include <snapscope/fleet/lake.hpp>

#include <utility>

namespace snapscope {

namespace {

constexpr int retries = 3;

bool is_missing_file(const Error& error) {
    return error.what.find("No such file") != std::string::npos;
}

} // namespace

struct LakeReader::State {
    Database database;
};

LakeReader::LakeReader(std::unique_ptr<State> state) : state_(std::move(state)) {}
LakeReader::LakeReader(LakeReader&&) noexcept = default;
LakeReader::~LakeReader() = default;

Result<LakeReader> LakeReader::open(const std::filesystem::path& folder, const LakeOptions& options) {
    SNAPSCOPE_TRY(check_lake(folder));
    auto database = Database::open(options.duckdb);
    if (!database)
        return fail(database.error());
    const std::filesystem::path lake = std::filesystem::absolute(folder);
    SNAPSCOPE_TRY(make_views(*database, lake, "main"));
    SNAPSCOPE_TRY(database->confine_to({lake.string(), glob_quoted(lake.string())}));
    return LakeReader(std::make_unique<State>(State{std::move(*database)}));
}

Result<LakeRows> LakeReader::select(const std::string& sql) {
    auto table = state_->database.select(sql);
    // compact may have replaced files between their listing and their reading.
    for (int again = 0; !table && again < retries && is_missing_file(table.error()); ++again)
        table = state_->database.select(sql);
    if (!table)
        return fail(table.error());
    return LakeRows{std::move(table->names), std::move(table->types), std::move(table->rows)};
}

} // namespace snapscope
