// The lake's tables as views of a database.
#pragma once

#include "database.hpp"

#include <filesystem>
#include <string>

namespace snapscope {

// PATH for a glob, without a meaning of its own letters.
[[nodiscard]] std::string glob_quoted(const std::string& path);

// A view SCHEMA.TABLE for each table of the lake; an empty one where it has no
// files.  Rows whose run is not in `runs` are not in the others either.
[[nodiscard]] Status make_views(Database& database, const std::filesystem::path& lake, const std::string& schema);

} // namespace snapscope
