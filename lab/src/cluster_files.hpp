// The files of a cluster, as pure functions of their contents.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace snapscope::cluster {

// Lines of postgresql.conf; values are quoted as the server reads them.
[[nodiscard]] std::string settings_text(const std::vector<std::pair<std::string, std::string>>& settings);

// Whether postmaster.pid says that the server accepts connections (its 8th
// line, in 10 and later).
[[nodiscard]] bool says_ready(std::string_view postmaster_pid);

// The last line of a server's log that says why it ended (with the one before
// it where that says which setting it was), else its last line.
[[nodiscard]] std::string reason_in(std::string_view log);

} // namespace snapscope::cluster
