// What a server's log says that it must not.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <vector>

namespace snapscope::torture {

// log_line_prefix that the scan knows the class of an error by.
constexpr const char* log_line_prefix = "%m [%p] %b %e ";

// Lines with PANIC, TRAP, "snapshot cache:" or an internal error, and of
// processes that ended by a signal, but for as many as were killed by it.
[[nodiscard]] std::vector<std::string> faults_in_log(std::istream& log, std::uint64_t kills);

} // namespace snapscope::torture
