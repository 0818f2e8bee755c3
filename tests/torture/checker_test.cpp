// Histories made by hand: each anomaly is found, and no clean one is blamed.

#include "history.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <random>

namespace snapscope::torture {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

Operation r(Key key, std::vector<Value> values) {
    Operation operation;
    operation.key = key;
    operation.values = std::move(values);
    return operation;
}

Operation a(Key key, Value value, std::size_t rolled_back_at = Operation::never) {
    Operation operation;
    operation.kind = Operation::Kind::append;
    operation.key = key;
    operation.value = value;
    operation.rolled_back_at = rolled_back_at;
    return operation;
}

Transaction tx(std::vector<Operation> operations, Outcome outcome = Outcome::committed,
               Isolation isolation = Isolation::repeatable_read) {
    Transaction transaction;
    transaction.operations = std::move(operations);
    transaction.outcome = outcome;
    transaction.isolation = isolation;
    return transaction;
}

Transaction at(std::int64_t start, std::int64_t reply, std::vector<Operation> operations) {
    auto transaction = tx(std::move(operations));
    transaction.start = start;
    transaction.reply = reply;
    return transaction;
}

Transaction serializable(std::vector<Operation> operations) {
    return tx(std::move(operations), Outcome::committed, Isolation::serializable);
}

// The kinds of violations of a history, each once.
std::vector<std::string> kinds(History history, const FinalLists& lists) {
    for (std::size_t i = 0; i < history.size(); ++i)
        history[i].name = fmt::format("T{}", i + 1);
    std::vector<std::string> found;
    for (const auto& violation : check_history(history, lists).violations)
        if (std::find(found.begin(), found.end(), violation.kind) == found.end())
            found.push_back(violation.kind);
    return found;
}

TEST(Checker, blames_nothing_in_a_serial_history) {
    EXPECT_THAT(kinds({tx({r(1, {}), a(1, 1), r(1, {1}), a(2, 2)}), tx({r(1, {1}), a(1, 3), r(2, {2})}),
                       tx({r(1, {1, 3}), r(2, {2}), r(1, {1, 3})})},
                      {{1, {1, 3}}, {2, {2}}}),
                IsEmpty());
}

TEST(Checker, finds_values_that_nobody_appended_or_that_are_there_twice) {
    EXPECT_THAT(kinds({tx({a(1, 1)})}, {{1, {1, 7}}}), ElementsAre("values"));
    EXPECT_THAT(kinds({tx({a(1, 1)})}, {{1, {1, 1}}}), Contains("values"));
    EXPECT_THAT(kinds({tx({a(1, 1)})}, {{2, {1}}}), Contains("values"));
}

TEST(Checker, finds_a_lost_append) {
    EXPECT_THAT(kinds({tx({a(1, 1)}), tx({a(1, 2)})}, {{1, {2}}}), ElementsAre("lost append"));
}

TEST(Checker, finds_what_was_aborted_in_the_final_list) {
    EXPECT_THAT(kinds({tx({a(1, 1)}, Outcome::aborted)}, {{1, {1}}}), ElementsAre("G1a"));
    EXPECT_THAT(kinds({tx({a(1, 1, 1)})}, {{1, {1}}}), ElementsAre("G1a"));
}

TEST(Checker, finds_what_was_aborted_in_a_read) {
    EXPECT_THAT(kinds({tx({a(1, 1)}, Outcome::aborted), tx({r(1, {1})})}, {}), ElementsAre("G1a"));
    EXPECT_THAT(kinds({tx({a(1, 1, 1)}), tx({r(1, {1})})}, {}), ElementsAre("G1a"));
}

TEST(Checker, expects_what_a_savepoint_undid_only_before_it_did) {
    EXPECT_THAT(kinds({tx({a(1, 1, 2), r(1, {1}), r(1, {}), a(1, 2), r(1, {2})})}, {{1, {2}}}), IsEmpty());
    EXPECT_THAT(kinds({tx({a(1, 1, 2), r(1, {1}), r(1, {1})})}, {}), ElementsAre("G1a"));
}

TEST(Checker, finds_a_transaction_that_does_not_see_its_own_appends) {
    EXPECT_THAT(kinds({tx({a(1, 1), r(1, {})})}, {{1, {1}}}), ElementsAre("own appends"));
}

TEST(Checker, finds_a_read_that_is_no_prefix) {
    EXPECT_THAT(kinds({tx({a(1, 1)}), tx({a(1, 2)}), tx({r(1, {2})})}, {{1, {1, 2}}}), ElementsAre("prefix"));
}

TEST(Checker, finds_a_read_that_does_not_repeat) {
    EXPECT_THAT(kinds({tx({a(1, 1)}), tx({r(1, {}), r(1, {1})})}, {{1, {1}}}), ElementsAre("repeatable read"));
}

TEST(Checker, finds_a_half_of_a_transaction) {
    EXPECT_THAT(kinds({tx({a(1, 1), a(1, 2)}), tx({r(1, {1})})}, {{1, {1, 2}}}), Contains("G1b"));
}

TEST(Checker, decides_what_is_unknown_by_the_final_lists) {
    EXPECT_THAT(kinds({tx({a(1, 1), a(2, 2)}, Outcome::unknown), tx({r(1, {1})})}, {{1, {1}}, {2, {2}}}), IsEmpty());
    EXPECT_THAT(kinds({tx({a(1, 1), a(2, 2)}, Outcome::unknown), tx({r(1, {})})}, {}), IsEmpty());
    EXPECT_THAT(kinds({tx({a(1, 1), a(2, 2)}, Outcome::unknown)}, {{1, {1}}}), ElementsAre("atomicity"));
    EXPECT_THAT(kinds({tx({a(1, 1)}, Outcome::unknown), tx({r(1, {1})})}, {}), ElementsAre("G1a"));
}

TEST(Checker, finds_a_cycle_of_writes) {
    EXPECT_THAT(kinds({tx({a(1, 1), a(2, 4)}), tx({a(1, 2), a(2, 3)})}, {{1, {1, 2}}, {2, {3, 4}}}), ElementsAre("G0"));
}

TEST(Checker, finds_a_cycle_of_writes_and_reads) {
    EXPECT_THAT(kinds({tx({a(1, 1), r(2, {2})}), tx({a(2, 2), r(1, {1})})}, {{1, {1}}, {2, {2}}}), ElementsAre("G1c"));
}

TEST(Checker, finds_a_snapshot_of_two_times) {
    // Sees the second transaction, which saw the first, and not the first.
    const History history = {tx({a(1, 1)}), tx({r(1, {1}), a(2, 2)}), tx({r(2, {2}), r(1, {})})};
    EXPECT_THAT(kinds(history, {{1, {1}}, {2, {2}}}), ElementsAre("G-single"));
}

TEST(Checker, finds_half_of_a_transaction_in_two_lists) {
    EXPECT_THAT(kinds({tx({a(1, 1), a(2, 2)}), tx({r(1, {1}), r(2, {})})}, {{1, {1}}, {2, {2}}}),
                ElementsAre("G-single"));
}

TEST(Checker, finds_it_for_an_aborted_reader_too) {
    EXPECT_THAT(kinds({tx({a(1, 1), a(2, 2)}), tx({r(1, {1}), r(2, {})}, Outcome::aborted)}, {{1, {1}}, {2, {2}}}),
                ElementsAre("G-single"));
}

TEST(Checker, finds_a_lost_update) {
    EXPECT_THAT(kinds({tx({a(1, 1)}), tx({r(1, {}), a(1, 2)})}, {{1, {1, 2}}}), ElementsAre("G-single"));
}

TEST(Checker, allows_write_skew_under_repeatable_read_only) {
    const FinalLists lists = {{1, {1}}, {2, {2}}};
    const std::vector<Operation> one = {r(1, {}), a(2, 2)};
    const std::vector<Operation> other = {r(2, {}), a(1, 1)};
    EXPECT_THAT(kinds({tx(one), tx(other)}, lists), IsEmpty());
    EXPECT_THAT(kinds({serializable(one), tx(other)}, lists), IsEmpty());
    EXPECT_THAT(kinds({serializable(one), serializable(other)}, lists), ElementsAre("G2"));
    EXPECT_THAT(kinds({serializable(one), tx(other, Outcome::aborted, Isolation::serializable)}, {{2, {2}}}),
                IsEmpty());
}

TEST(Checker, finds_the_anomaly_of_a_reader_among_serializable_ones) {
    // The reader sees the second without the first, which did not see the second.
    EXPECT_THAT(kinds({serializable({r(2, {}), a(1, 1)}), serializable({a(2, 2)}), serializable({r(2, {2}), r(1, {})})},
                      {{1, {1}}, {2, {2}}}),
                ElementsAre("G2"));
}

TEST(Checker, finds_a_read_without_what_was_replied_before) {
    const FinalLists lists = {{1, {1}}};
    EXPECT_THAT(kinds({at(0, 10, {a(1, 1)}), at(11, 20, {r(1, {})})}, lists), ElementsAre("stale"));
    EXPECT_THAT(kinds({at(0, 12, {a(1, 1)}), at(11, 20, {r(1, {})})}, lists), IsEmpty());
}

TEST(Checker, finds_an_order_of_writes_against_that_of_time) {
    EXPECT_THAT(kinds({at(0, 10, {a(1, 1)}), at(11, 20, {a(1, 2)})}, {{1, {2, 1}}}), ElementsAre("order"));
}

TEST(Checker, finds_a_cycle_far_from_where_it_started) {
    // The last one of a chain of a thousand does not see the first.
    History history;
    FinalLists lists;
    for (int i = 0; i < 1000; ++i) {
        history.push_back(tx({a(i, i), a(i + 1, 10000 + i)}));
        lists[i].insert(lists[i].end(), i);
        lists[i + 1] = {10000 + i};
    }
    history.push_back(tx({r(999, {9998 + 1000, 999}), r(0, {})}));
    EXPECT_THAT(kinds(history, lists), ElementsAre("G-single"));
}

// A serial run of random transactions, as the server would answer.
TEST(Checker, blames_nothing_in_a_large_random_history_and_finds_one_swap_in_it) {
    std::mt19937 random(7);
    const auto below = [&](int n) { return std::uniform_int_distribution<int>(0, n - 1)(random); };
    History history;
    FinalLists lists;
    Value value = 0;
    for (int i = 0; i < 50000; ++i) {
        auto transaction = serializable({});
        transaction.start = 2 * i;
        transaction.reply = 2 * i + 1;
        for (int operation = below(4); operation >= 0; --operation) {
            const Key key = i / 40 + below(8);
            if (below(2) == 0) {
                transaction.operations.push_back(r(key, lists[key]));
            } else {
                transaction.operations.push_back(a(key, value));
                lists[key].push_back(value++);
            }
        }
        history.push_back(std::move(transaction));
    }
    EXPECT_THAT(kinds(history, lists), IsEmpty());
    auto& list = lists[600];
    ASSERT_GT(list.size(), 4U);
    std::swap(list[1], list[3]);
    EXPECT_THAT(kinds(history, lists), Contains("order"));
}

} // namespace
} // namespace snapscope::torture
