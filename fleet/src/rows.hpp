// A run as rows of the lake's tables.
#pragma once

#include "database.hpp"

#include <snapscope/recording/run.hpp>

#include <string>
#include <utility>
#include <vector>

namespace snapscope {

// The month of a run's start in UTC: "2026-11".  An error where the run does not say.
[[nodiscard]] Result<std::string> month_of(const Run& run);

// Runs on their way into the tables of a database (made by create_statement()).
class RunAppender {
  public:
    [[nodiscard]] static Result<RunAppender> open(Database& database);
    [[nodiscard]] Status append(const Run& run, const std::string& ingest);
    // Now the tables have all rows.
    [[nodiscard]] Status flush();

  private:
    explicit RunAppender(std::vector<Appender> tables) : tables_(std::move(tables)) {}
    std::vector<Appender> tables_; // in the order of lake_tables()
};

} // namespace snapscope
