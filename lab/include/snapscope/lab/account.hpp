// The account that servers run under.  PostgreSQL refuses to run as root, so
// what root starts runs as an unprivileged account; everybody else's servers
// are their own.
#pragma once

#include <snapscope/base/result.hpp>

#include <optional>
#include <string>
#include <sys/types.h>

namespace snapscope {

struct Account {
    std::string name;
    uid_t uid = 0;
    gid_t gid = 0;
};

// For root: SNAPSCOPE_SERVER_USER, else `postgres`, else `nobody`, whichever
// exists first; a named one that does not exist, or is root, is an error.
// For others: none, there is nothing to change to.
[[nodiscard]] Result<std::optional<Account>> server_account();

} // namespace snapscope
