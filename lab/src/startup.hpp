// The start of PostgreSQL's protocol, version 3.0, as pure functions.
#pragma once

#include <snapscope/base/result.hpp>

#include <string>
#include <string_view>

namespace snapscope::startup {

// The packet that opens a connection.
[[nodiscard]] std::string packet(std::string_view user, std::string_view database, std::string_view application);

// Reads the server's answer so far, and takes the whole messages off its
// front.  True when the server is ready for a query; false when more must
// come; an Error when it refused, asks for a password, or speaks something else.
[[nodiscard]] Result<bool> take_reply(std::string& bytes);

} // namespace snapscope::startup
