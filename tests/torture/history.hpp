// What the clients of a run did to the lists, and what is wrong with it.
//
// Each list is a row; a transaction reads some lists and appends values, each
// unique in the whole run, to some.  The order of the values in the final list
// is the order in which its versions came to be, so every dependency between
// transactions can be told from what they read.  The idea is that of Elle
// (Kingsbury and Alvaro, VLDB 2020).
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace snapscope::torture {

using Key = std::int32_t;
using Value = std::int32_t;

struct Operation {
    enum class Kind { read, append };
    static constexpr std::size_t never = std::numeric_limits<std::size_t>::max();

    Kind kind = Kind::read;
    Key key = 0;
    Value value = 0;                    // appended
    std::vector<Value> values;          // read
    std::size_t rolled_back_at = never; // an append undone to a savepoint: how many operations came before that
};

enum class Isolation { repeatable_read, serializable };
enum class Outcome {
    committed,
    aborted,
    unknown, // the reply to its commit was lost
};

// Times are nanoseconds of one monotonic clock, or all 0 where they do not matter.
struct Transaction {
    static constexpr std::int64_t no_reply = std::numeric_limits<std::int64_t>::max();

    std::string name; // for reports
    Isolation isolation = Isolation::repeatable_read;
    Outcome outcome = Outcome::committed;
    std::int64_t start = 0;        // before the statement was sent that took its snapshot
    std::int64_t reply = no_reply; // after the reply to its commit
    std::vector<Operation> operations;
};

using History = std::vector<Transaction>;
using FinalLists = std::map<Key, std::vector<Value>>;

struct Violation {
    std::string kind; // e.g. "G1c"
    std::string text; // which transactions, and what they read and wrote
};

struct Verdict {
    std::vector<Violation> violations; // some of each kind, not all
    std::size_t reads = 0;
    std::size_t dependencies = 0;
    std::size_t searches_cut_short = 0; // for G-single, by their bound
};

// Everything below, of transactions at repeatable read and serializable:
//   values     an appended value is in the final list once; nothing of an aborted
//              transaction or an undone savepoint is (G1a); unknown ones are whole
//   reads      a prefix of the final list, then the own appends; the same each
//              time; not of half a transaction (G1b); all that was replied before
//              the transaction started (stale)
//   cycles     G0 and G1c at any level, G-single under repeatable read, and none
//              at all among serializable ones (G2)
[[nodiscard]] Verdict check_history(const History& history, const FinalLists& final_lists);

// "T3 (client 2, serializable, committed): r 5 [1 2], a 5 3"
[[nodiscard]] std::string describe(const Transaction& transaction);

} // namespace snapscope::torture
