#include "database.hpp"
#include "lake_files.hpp"
#include "rows.hpp"
#include "tables.hpp"
#include "views.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/fleet/lake.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <fmt/format.h>
#include <optional>
#include <set>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

// A file of at least that size is not made larger by compact.
constexpr std::uintmax_t large_file_bytes = 128u << 20;
constexpr const char* parquet = "(FORMAT parquet, COMPRESSION zstd)";

} // namespace

struct LakeWriter::State {
    fs::path folder;
    UniqueFd lock;
    Database database;
    std::optional<RunAppender> rows; // of the next commit; none: there are no tables yet
    std::string ingest;              // names the files of the next commit
    std::set<std::string> runs;      // in the lake, or added
    std::set<std::string> months;
    std::size_t pending = 0;

    [[nodiscard]] Status make_tables();
    [[nodiscard]] Status copy(const std::string& query, const fs::path& target);
    [[nodiscard]] Status commit_table(const LakeTable& table);
    [[nodiscard]] Status compact_month(const LakeTable& table, const std::string& month, CompactResult& result);
};

LakeWriter::LakeWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
LakeWriter::LakeWriter(LakeWriter&&) noexcept = default;
LakeWriter::~LakeWriter() = default;

Result<LakeWriter> LakeWriter::open(const fs::path& folder, const LakeOptions& options,
                                    const std::function<void()>& waiting) {
    // Before anything is created: without DuckDB nothing is left behind.
    auto database = Database::open(options.duckdb);
    if (!database)
        return fail(database.error());
    SNAPSCOPE_TRY(make_lake(folder));
    auto lock = lock_lake(folder, waiting);
    if (!lock)
        return fail(lock.error());
    auto ingest = make_run_id();
    if (!ingest)
        return fail(ingest.error());
    auto state = std::make_unique<State>(
        State{fs::absolute(folder), std::move(*lock), std::move(*database), std::nullopt, *ingest, {}, {}, 0});
    SNAPSCOPE_TRY(state->make_tables());
    SNAPSCOPE_TRY(make_views(state->database, state->folder, "lake"));
    const auto known = state->database.select("SELECT run_id, ingest, month FROM lake.runs");
    if (!known)
        return fail(known.error());
    Committed committed;
    for (const auto& row : known->rows) {
        state->runs.insert(row.at(0).value_or(""));
        committed.emplace(row.at(1).value_or(""), row.at(2).value_or(""));
    }
    remove_remains(state->folder, committed);
    return LakeWriter(std::move(state));
}

Result<Ingested> LakeWriter::add(const Run& run) {
    if (!state_->runs.insert(run.id).second)
        return Ingested::known;
    const auto month = month_of(run);
    if (const Status appended = month ? state_->rows->append(run, state_->ingest) : Status(fail(month.error()));
        !appended) {
        state_->runs.erase(run.id);
        return fail(appended.error());
    }
    state_->months.insert(*month);
    ++state_->pending;
    return Ingested::added;
}

std::size_t LakeWriter::pending() const {
    return state_->pending;
}

Status LakeWriter::State::make_tables() {
    for (const LakeTable& table : lake_tables())
        SNAPSCOPE_TRY(database.run(create_statement(table)));
    auto appender = RunAppender::open(database);
    if (!appender)
        return fail(appender.error());
    rows.emplace(std::move(*appender));
    return {};
}

Status LakeWriter::State::copy(const std::string& query, const fs::path& target) {
    // DuckDB makes its file with the umask, as the folders are.
    return database.run("COPY (" + query + ") TO " + sql_literal(target.string()) + " " + parquet);
}

Status LakeWriter::State::commit_table(const LakeTable& table) {
    std::error_code error;
    fs::create_directory(folder / table.name, error);
    if (error)
        return fail("cannot create the folder " + (folder / table.name).string() + ": " + error.message());
    for (const std::string& month : months) {
        const auto there =
            database.select(fmt::format("SELECT count(*) FROM {} WHERE month = {}", table.name, sql_literal(month)));
        if (!there)
            return fail(there.error());
        if (there->rows.at(0).at(0) == "0")
            continue;
        const fs::path unfinished = unfinished_place(folder, table.name, ingest + "-" + month + ".parquet");
        SNAPSCOPE_TRY(copy(fmt::format("SELECT * EXCLUDE (month) FROM {} WHERE month = {} ORDER BY host, run_id",
                                       table.name, sql_literal(month)),
                           unfinished));
        SNAPSCOPE_TRY(publish(unfinished, month_folder(folder, table.name, month) / (ingest + ".parquet")));
    }
    return database.run(fmt::format("DROP TABLE {}", table.name));
}

Status LakeWriter::commit() {
    if (state_->pending == 0)
        return {};
    SNAPSCOPE_TRY(state_->rows->flush());
    state_->rows.reset();
    // `runs` comes first in lake_tables() and last here: it is what counts.
    const auto tables = lake_tables();
    for (std::size_t i = tables.size(); i-- > 0;)
        SNAPSCOPE_TRY(state_->commit_table(tables[i]));
    state_->months.clear();
    state_->pending = 0;
    auto next = make_run_id();
    if (!next)
        return fail(next.error());
    state_->ingest = *next;
    return state_->make_tables();
}

Status LakeWriter::State::compact_month(const LakeTable& table, const std::string& month, CompactResult& result) {
    const fs::path current = month_folder(folder, table.name, month);
    std::vector<fs::path> small, large;
    std::error_code error;
    for (const fs::path& file : files_of(current)) {
        const auto size = fs::file_size(file, error);
        (!error && size >= large_file_bytes ? large : small).push_back(file);
    }
    result.files_before += small.size() + large.size();
    result.files_after += std::min<std::size_t>(small.size(), 1) + large.size();
    if (small.size() < 2)
        return {};
    auto name = make_run_id();
    if (!name)
        return fail(name.error());
    const fs::path next = unfinished_place(folder, table.name, *name + "-" + month);
    if (::mkdir(next.c_str(), 0777) != 0)
        return fail_errno("cannot create the folder " + next.string(), errno);
    for (const fs::path& file : large)
        if (::link(file.c_str(), (next / file.filename()).c_str()) != 0)
            return fail_errno("cannot link " + file.string(), errno);
    const fs::path merged = next / ("compacted-" + *name + ".parquet");
    std::string files;
    for (const fs::path& file : small)
        files += (files.empty() ? "" : ", ") + sql_literal(file.string());
    // File after file as they come: sorting months of windows would need memory for all of them.
    const std::string merge =
        fmt::format("SELECT * FROM read_parquet([{}], union_by_name = true, hive_partitioning = false)", files);
    const fs::path unfinished = next / ".unfinished";
    SNAPSCOPE_TRY(copy(merge, unfinished));
    SNAPSCOPE_TRY(publish(unfinished, merged));
    SNAPSCOPE_TRY(exchange_folders(next, current));
    fs::remove_all(next, error); // what it was before; else the next writer does
    return {};
}

Result<CompactResult> LakeWriter::compact() {
    SNAPSCOPE_TRY(commit());
    CompactResult result;
    for (const LakeTable& table : lake_tables())
        for (const std::string& month : months_of(state_->folder, table.name))
            SNAPSCOPE_TRY(state_->compact_month(table, month, result));
    return result;
}

} // namespace snapscope
