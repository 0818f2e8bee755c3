// The windows of a run while it is being recorded: one line of JSON a window,
// append-only.  The writer holds a lock on the file, so that others can tell a
// recording that goes on from one that was cut off.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace snapscope {

class Journal {
  public:
    // Creates the file PATH and locks it.
    static Result<Journal> create(const std::filesystem::path& path);

    // Appends one line; on an error the file is cut back to whole lines.
    Status append(const WindowRow& row);

    [[nodiscard]] std::size_t rows() const { return rows_; }

  private:
    explicit Journal(UniqueFd fd) : fd_(std::move(fd)) {}

    UniqueFd fd_;
    std::filesystem::path path_; // for messages
    std::int64_t bytes_ = 0;
    std::size_t rows_ = 0;
    bool torn_ = false; // the file ends in a part of a line that could not be cut off
};

struct JournalRows {
    std::vector<WindowRow> rows; // up to the first line that is not whole
    bool torn = false;           // something stood behind them
    bool recording = false;      // the writer is still there
};

// Every row has `columns` values; a line that has not ends the journal.
[[nodiscard]] Result<JournalRows> read_journal(const std::filesystem::path& path, std::size_t columns);

// Whether a writer holds the journal PATH; false where there is none.
[[nodiscard]] bool journal_is_held(const std::filesystem::path& path);

} // namespace snapscope
