// A lake: the runs of many hosts as Parquet files, for DuckDB and for every
// other engine that reads them.
//
//   LAKE/lake.json                          says that this is one, and its schema's version
//   LAKE/TABLE/month=YYYY-MM/NAME.parquet   zstd; docs/lake.md names the columns
//   LAKE/.lock                              held by whoever writes
//
// A file appears whole or not at all.  A run counts from the moment its row in
// `runs` is there, which is written last; rows of other tables without one are
// what a killed writer left, are seen by no view, and go with the next writing.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct LakeOptions {
    std::filesystem::path duckdb; // DuckDB's library; empty: the first that is found
};

// What was read of an SQL query, every value as text; nullopt: NULL.
struct LakeRows {
    std::vector<std::string> names, types; // types: SQL's
    std::vector<std::vector<std::optional<std::string>>> rows;
};

struct CompactResult {
    std::size_t files_before = 0, files_after = 0;
};

enum class Ingested { added, known };

// Writes.  One writer at a time: open() waits for another to end.
class LakeWriter {
  public:
    // Creates the folder, or opens one that is a lake; anything else is refused.
    // `waiting` is called when another writer has to be waited for.
    [[nodiscard]] static Result<LakeWriter> open(const std::filesystem::path& folder, const LakeOptions& options,
                                                 const std::function<void()>& waiting);
    LakeWriter(LakeWriter&&) noexcept;
    LakeWriter& operator=(LakeWriter&&) = delete;
    LakeWriter(const LakeWriter&) = delete;
    LakeWriter& operator=(const LakeWriter&) = delete;
    ~LakeWriter();

    // A run that the lake has already is left alone.  Kept in memory until commit().
    [[nodiscard]] Result<Ingested> add(const Run& run);
    [[nodiscard]] std::size_t pending() const;
    // When it returns, what was added is there for good.
    [[nodiscard]] Status commit();
    // Makes one file of the small ones of a table and month.
    [[nodiscard]] Result<CompactResult> compact();

  private:
    struct State;
    explicit LakeWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Reads: one view a table.
class LakeReader {
  public:
    [[nodiscard]] static Result<LakeReader> open(const std::filesystem::path& folder, const LakeOptions& options);
    LakeReader(LakeReader&&) noexcept;
    LakeReader& operator=(LakeReader&&) = delete;
    LakeReader(const LakeReader&) = delete;
    LakeReader& operator=(const LakeReader&) = delete;
    ~LakeReader();

    // The rows of one SELECT.  Reads nothing outside the lake and changes nothing.
    [[nodiscard]] Result<LakeRows> select(const std::string& sql);

  private:
    struct State;
    explicit LakeReader(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace snapscope
