#include "history.hpp"

#include "dependencies.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace snapscope::torture {
namespace {

constexpr std::size_t reported_violations = 5; // of each kind

using Kind = Operation::Kind;

class Checker {
  public:
    Checker(const History& history, const FinalLists& final_lists)
        : history_(history), lists_(final_lists), committed_(history.size(), false) {}

    Verdict check() {
        find_writers();
        decide_outcomes();
        check_final_lists();
        for (Node node = 0; node < history_.size(); ++node)
            check_reads(node);
        verdict_.dependencies = dependencies_.size();
        check_cycles(history_, committed_, dependencies_, verdict_);
        return std::move(verdict_);
    }

  private:
    static constexpr Node nobody = std::numeric_limits<Node>::max();
    struct Writer {
        Node node = nobody;
        Key key = 0;
        bool undone = false; // to a savepoint
        bool present = false;
    };

    void violate(const std::string& kind, std::string text) {
        if (++violations_of_[kind] <= reported_violations)
            verdict_.violations.push_back({kind, std::move(text)});
    }

    [[nodiscard]] Writer* writer_of(Value value) {
        const auto index = static_cast<std::size_t>(value);
        return value >= 0 && index < writers_.size() && writers_[index].node != nobody ? &writers_[index] : nullptr;
    }

    [[nodiscard]] const std::vector<Value>& list_of(Key key) const {
        static const std::vector<Value> empty;
        const auto found = lists_.find(key);
        return found == lists_.end() ? empty : found->second;
    }

    void find_writers() {
        for (Node node = 0; node < history_.size(); ++node)
            for (const auto& operation : history_[node].operations) {
                if (operation.kind != Kind::append)
                    continue;
                const auto index = static_cast<std::size_t>(operation.value);
                if (index >= writers_.size())
                    writers_.resize(index * 2 + 1);
                writers_[index] = {node, operation.key, operation.rolled_back_at != Operation::never, false};
            }
    }

    void decide_outcomes() {
        for (const auto& [key, values] : lists_)
            for (const auto value : values) {
                auto* writer = writer_of(value);
                if (writer == nullptr || writer->key != key) {
                    violate("values", fmt::format("list {} ends with {}, which nobody appended to it", key, value));
                    continue;
                }
                if (writer->present)
                    violate("values", fmt::format("list {} holds {} twice", key, value));
                writer->present = true;
            }
        for (Node node = 0; node < history_.size(); ++node)
            committed_[node] = decide(node);
    }

    bool decide(Node node) {
        const auto& transaction = history_[node];
        std::size_t appended = 0;
        std::size_t present = 0;
        for (const auto& operation : transaction.operations) {
            if (operation.kind != Kind::append)
                continue;
            const auto& writer = *writer_of(operation.value);
            if (writer.undone || transaction.outcome == Outcome::aborted) {
                if (writer.present)
                    violate("G1a", fmt::format("{} was undone and is in list {}: {}", operation.value, operation.key,
                                               describe(transaction)));
                continue;
            }
            ++appended;
            present += writer.present ? 1 : 0;
            if (transaction.outcome == Outcome::committed && !writer.present)
                violate("lost append", fmt::format("{} was committed and is not in list {}: {}", operation.value,
                                                   operation.key, describe(transaction)));
        }
        if (transaction.outcome == Outcome::unknown && present != 0 && present != appended)
            violate("atomicity",
                    fmt::format("{} of {} appends are there: {}", present, appended, describe(transaction)));
        // One that only read, and whose reply was lost, need not have committed.
        return transaction.outcome == Outcome::committed || (transaction.outcome == Outcome::unknown && present > 0);
    }

    void check_final_lists() {
        for (const auto& [key, values] : lists_) {
            auto& earliest = earliest_reply_[key]; // of the values from here to the end
            earliest.assign(values.size() + 1, Transaction::no_reply);
            Node next = nobody;
            for (std::size_t i = values.size(); i-- > 0;) {
                const auto* writer = writer_of(values[i]);
                earliest[i] = earliest[i + 1];
                if (writer == nullptr)
                    continue;
                const auto& transaction = history_[writer->node];
                if (earliest[i + 1] < transaction.start)
                    violate("order", fmt::format("what was committed before {} began follows it in list {}: {}",
                                                 transaction.name, key, describe(transaction)));
                earliest[i] = std::min(earliest[i], transaction.reply);
                if (next != nobody && next != writer->node)
                    dependencies_.push_back({writer->node, next, Dependency::Kind::write_write, key});
                next = writer->node;
            }
        }
    }

    void check_reads(Node node) {
        const auto& operations = history_[node].operations;
        std::map<Key, std::size_t> seen; // how much of each list
        for (std::size_t i = 0; i < operations.size(); ++i) {
            if (operations[i].kind != Kind::read)
                continue;
            ++verdict_.reads;
            const auto length = length_from_others(node, i);
            if (length == Operation::never)
                continue;
            const auto [before, first] = seen.emplace(operations[i].key, length);
            if (first)
                check_version(node, operations[i].key, length);
            else if (before->second != length)
                violate("repeatable read",
                        fmt::format("list {} had {} values of others, then {}: {}", operations[i].key, before->second,
                                    length, describe(history_[node])));
        }
    }

    // How long the prefix of the final list is that operation `at` read, without
    // what the transaction itself had appended; `never`: it is no prefix.
    std::size_t length_from_others(Node node, std::size_t at) {
        const auto& transaction = history_[node];
        const auto& read = transaction.operations[at];
        const auto& list = list_of(read.key);
        std::vector<Value> own;
        for (std::size_t i = 0; i < at; ++i) {
            const auto& earlier = transaction.operations[i];
            if (earlier.kind == Kind::append && earlier.key == read.key && earlier.rolled_back_at > at)
                own.push_back(earlier.value);
        }
        if (own.size() > read.values.size() || !std::equal(own.rbegin(), own.rend(), read.values.rbegin())) {
            violate("own appends", fmt::format("list {} was read without them as [{}]: {}", read.key,
                                               fmt::join(read.values, " "), describe(transaction)));
            return Operation::never;
        }
        const auto length = read.values.size() - own.size();
        for (std::size_t i = 0; i < length; ++i) {
            const auto value = read.values[i];
            const auto* writer = writer_of(value);
            if (writer != nullptr && (writer->undone || !committed_[writer->node])) {
                violate("G1a", fmt::format("{} was undone and was read: {}; by {}", value, describe(transaction),
                                           describe(history_[writer->node])));
                return Operation::never;
            }
            if (i >= list.size() || list[i] != value) {
                violate("prefix",
                        fmt::format("list {} was read as [{}] and became [{}]: {}", read.key,
                                    fmt::join(read.values, " "), fmt::join(list, " "), describe(transaction)));
                return Operation::never;
            }
        }
        return length;
    }

    // `node` saw the first `length` values of list `key`.
    void check_version(Node node, Key key, std::size_t length) {
        const auto& transaction = history_[node];
        const auto& list = list_of(key);
        const auto earliest = earliest_reply_.find(key);
        if (earliest != earliest_reply_.end() && earliest->second[length] < transaction.start)
            violate("stale", fmt::format("list {} was read as [{}], without what had been committed before; it became "
                                         "[{}]: {}",
                                         key, fmt::join(list.begin(), list.begin() + std::ptrdiff_t(length), " "),
                                         fmt::join(list, " "), describe(transaction)));
        const auto* last = length > 0 ? writer_of(list[length - 1]) : nullptr;
        const auto* next = length < list.size() ? writer_of(list[length]) : nullptr;
        if (last != nullptr && next != nullptr && last->node == next->node && last->node != node)
            violate("G1b", fmt::format("a part of {} was read from list {}: {}; by {}", history_[last->node].name, key,
                                       describe(history_[last->node]), describe(transaction)));
        if (last != nullptr && last->node != node)
            dependencies_.push_back({last->node, node, Dependency::Kind::write_read, key});
        if (next != nullptr && next->node != node)
            dependencies_.push_back({node, next->node, Dependency::Kind::read_write, key});
    }

    const History& history_;
    const FinalLists& lists_;
    std::vector<bool> committed_;
    std::vector<Writer> writers_; // by value
    std::map<Key, std::vector<std::int64_t>> earliest_reply_;
    std::vector<Dependency> dependencies_;
    std::map<std::string, std::size_t> violations_of_;
    Verdict verdict_;
};

} // namespace

Verdict check_history(const History& history, const FinalLists& final_lists) {
    return Checker(history, final_lists).check();
}

std::string describe(const Transaction& transaction) {
    constexpr const char* outcomes[] = {"committed", "aborted", "unknown"};
    std::string text =
        fmt::format("{} ({}, {}):", transaction.name,
                    transaction.isolation == Isolation::serializable ? "serializable" : "repeatable read",
                    outcomes[static_cast<std::size_t>(transaction.outcome)]);
    for (const auto& operation : transaction.operations) {
        if (operation.kind == Kind::read)
            text += fmt::format(" r {} [{}],", operation.key, fmt::join(operation.values, " "));
        else
            text += fmt::format(" a {} {}{},", operation.key, operation.value,
                                operation.rolled_back_at == Operation::never ? "" : " (undone)");
    }
    text.pop_back();
    return text;
}

} // namespace snapscope::torture
