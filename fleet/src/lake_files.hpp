// The folders and files of a lake, and its lock.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <filesystem>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace snapscope {

// Fails where FOLDER is no lake of a known version.
[[nodiscard]] Status check_lake(const std::filesystem::path& folder);

// Makes FOLDER a lake unless it is one; a folder that holds anything else is refused.
[[nodiscard]] Status make_lake(const std::filesystem::path& folder);

// The right to write, until the descriptor is closed or the process ends.
[[nodiscard]] Result<UniqueFd> lock_lake(const std::filesystem::path& folder, const std::function<void()>& waiting);

[[nodiscard]] std::filesystem::path month_folder(const std::filesystem::path& lake, std::string_view table,
                                                 std::string_view month);

// Months of TABLE, ascending; the Parquet files of one.
[[nodiscard]] std::vector<std::string> months_of(const std::filesystem::path& lake, std::string_view table);
[[nodiscard]] std::vector<std::filesystem::path> files_of(const std::filesystem::path& month_folder);

// A place for a file or folder that is not yet part of TABLE; on its file system.
[[nodiscard]] std::filesystem::path unfinished_place(const std::filesystem::path& lake, std::string_view table,
                                                     std::string_view name);

// Writes what is in FILE through to the disk and moves it to TARGET.
[[nodiscard]] Status publish(const std::filesystem::path& file, const std::filesystem::path& target);

// Swaps the folders: a reader sees all of the one or all of the other.
[[nodiscard]] Status exchange_folders(const std::filesystem::path& one, const std::filesystem::path& other);

// An ingest and a month of which `runs` has rows.
using Committed = std::set<std::pair<std::string, std::string>>;

// Removes what killed writers left: what was not finished, and files of an
// ingest that is not COMMITTED.  A file's name says nothing of `runs`: compact
// may have renamed that and not this.  Only for the holder of the lock.
void remove_remains(const std::filesystem::path& lake, const Committed& committed);

} // namespace snapscope
