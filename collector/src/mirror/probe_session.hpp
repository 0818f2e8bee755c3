// The one proof that structure cannot give: a session of our own, in a state
// that is known, looked up in the mirror.  xmin, database and a few more could
// lie elsewhere without any check of anatomy.hpp noticing.
//
// The session takes two xids (a transaction and a savepoint, both rolled back).
#pragma once

#include "../sql_connection.hpp"
#include "samples.hpp"

#include <string>
#include <vector>

namespace snapscope::mirror {

// What a session says about itself, or what the mirror says about it.
struct SessionState {
    std::int32_t pid = 0;
    std::uint32_t xid = 0, xmin = 0, database = 0, role = 0;
    std::uint32_t subxids = 0;
    bool idle = false; // waits for its client

    friend bool operator==(const SessionState&, const SessionState&) = default;
};

// The fields that differ: "xmin is 700, expected 731"; empty: all agree.
[[nodiscard]] std::string difference(const SessionState& mirrored, const SessionState& told);

// What cannot be, of counters before and after a session took XID and one more, and ended; empty: all is well.
[[nodiscard]] std::string contradiction(const Counters& before, const Counters& after, std::uint32_t xid);

// Nullopt where no occupied slot has PID.
[[nodiscard]] Result<std::optional<SessionState>> find_session(const Memory& memory, const Anatomy& anatomy,
                                                               std::int32_t pid);

// Ok: every field agrees.  Class unavailable: no such proof can be had (a
// standby, another server's login); class failed: a field is contradicted.
[[nodiscard]] Status prove(const Memory& memory, const Anatomy& anatomy, SqlConnection& login);

} // namespace snapscope::mirror
