// One pass over the lines.  A table of labels says which line sets what; the
// few lines with more structure (tps, progress, aborts) have a function each.

#include "pgbench_lines.hpp"

#include <snapscope/base/text.hpp>
#include <snapscope/lab/pgbench.hpp>

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace snapscope {
namespace {

using pgbench::after;
using pgbench::leading_number;

constexpr std::size_t max_unknown_lines = 5;
constexpr std::size_t max_note_bytes = 200;

// Ratio of "excluding" to "including" from which a run whose command line is
// not known must have connected for each transaction.
constexpr double reconnect_ratio = 2.0;

class Parser {
  public:
    Parser(std::vector<std::string> argv, int exit_status) : argv_(std::move(argv)) {
        workload_.exit_status = exit_status;
        workload_.command = command_line(argv_);
    }

    Result<Workload> parse(std::string_view output) {
        while (!output.empty()) {
            const auto end = output.find('\n');
            auto text = output.substr(0, end);
            output.remove_prefix(end == std::string_view::npos ? output.size() : end + 1);
            if (text.ends_with('\r'))
                text.remove_suffix(1);
            SNAPSCOPE_TRY(line(text));
        }
        return finish();
    }

  private:
    Status line(std::string_view text);
    Status value(std::string_view text, std::string_view rest);
    Status tps(std::string_view text, std::string_view rest);
    Status progress(std::string_view text, std::string_view rest);
    bool failure(std::string_view text);
    void unknown(std::string_view text);
    Result<Workload> finish();
    void judge();

    template <typename T> static Status number(std::string_view text, std::string_view rest, std::optional<T>& into) {
        into = leading_number<T>(rest);
        if (!into)
            return fail(fmt::format("pgbench's line '{}' holds no number where one belongs",
                                    to_utf8(text.substr(0, max_note_bytes))));
        return {};
    }

    std::vector<std::string> argv_;
    Workload workload_;
    std::optional<double> tps_including_, tps_excluding_;
    std::set<std::string, std::less<>> aborted_;
    std::vector<std::string> reasons_;
    std::size_t known_ = 0, unknown_ = 0;
    bool in_statements_ = false;  // below "statement latencies"
    bool in_reason_ = false;      // below an error, whose text may go on
    bool says_reconnect_ = false; // in words of 14 and later
    bool incomplete_ = false;     // "Run was aborted"
};

// Labels whose lines are known and hold nothing that a Workload keeps.
constexpr std::array known_labels = {
    "pgbench (",
    "starting vacuum",
    "end.",
    "transaction type:",
    "multiple scripts",
    "scaling factor:",
    "query mode:",
    "partition method:",
    "partitions:",
    "number of transactions per client:",
    "maximum number of tries:",
    "number of serialization failures:",
    "number of deadlock failures:",
    "number of transactions retried:",
    "total number of retries:",
    "number of transactions skipped:",
    "rate limit schedule lag:",
    "initial connection time = ",
    "script statistics:",
    "SQL script ",
};

Status Parser::line(std::string_view text) {
    if (trim(text).empty())
        return {};
    const bool indented = text.front() == ' ' || text.front() == '\t';
    if (indented && (in_statements_ || text.starts_with(" - "))) {
        ++known_; // a row of the table of statements, or of one script's statistics
        return {};
    }
    if (indented && in_reason_) {
        reasons_.back() += ' ';
        reasons_.back() += trim(text);
        return {};
    }
    in_statements_ = in_reason_ = false;
    if (failure(text))
        return {};

    const auto known_before = known_++;
    if (std::ranges::any_of(known_labels, [&](const char* label) { return text.starts_with(label); }))
        return {};
    if (text.starts_with("statement latencies in milliseconds")) {
        in_statements_ = true;
        return {};
    }
    if (text.starts_with("average connection time = ")) {
        says_reconnect_ = true;
        return {};
    }
    if (text.starts_with("Run was aborted")) {
        incomplete_ = true;
        return {};
    }
    if (text.starts_with("number of transactions above the ")) {
        workload_.notes.emplace_back(text);
        return {};
    }
    if (const auto rest = after(text, "tps ="))
        return tps(text, *rest);
    if (const auto rest = after(text, "progress:"))
        return progress(text, *rest);
    if (const auto rest = after(text, "number of clients:"))
        return number(text, *rest, workload_.clients);
    if (const auto rest = after(text, "number of threads:"))
        return number(text, *rest, workload_.threads);
    if (const auto rest = after(text, "duration:"))
        return number(text, *rest, workload_.duration_s);
    if (const auto rest = after(text, "number of transactions actually processed:"))
        return number(text, *rest, workload_.transactions);
    if (const auto rest = after(text, "number of failed transactions:"))
        return number(text, *rest, workload_.transactions_failed);
    for (const auto* label : {"latency average =", "latency average:"})
        if (const auto rest = after(text, label))
            return number(text, *rest, workload_.latency_ms);
    for (const auto* label : {"latency stddev =", "latency stddev:"})
        if (const auto rest = after(text, label))
            return number(text, *rest, workload_.latency_stddev_ms);

    known_ = known_before;
    unknown(text);
    return {};
}

// "tps = 19.875015(including connections establishing)" and its successors.
Status Parser::tps(std::string_view text, std::string_view rest) {
    std::optional<double> value;
    SNAPSCOPE_TRY(number(text, rest, value));
    if (rest.find("(including reconnection times)") != std::string_view::npos) {
        says_reconnect_ = true;
        tps_including_ = value;
    } else if (rest.find("(including") != std::string_view::npos) {
        tps_including_ = value;
    } else { // "(excluding connections establishing)", "(without initial connection time)"
        tps_excluding_ = value;
    }
    return {};
}

// "progress: 2.0 s, 896.9 tps, lat 11.0 ms stddev 7.3, 0 failed"
Status Parser::progress(std::string_view text, std::string_view rest) {
    std::optional<double> value;
    const auto comma = rest.find(',');
    SNAPSCOPE_TRY(number(text, comma == std::string_view::npos ? std::string_view{} : rest.substr(comma + 1), value));
    workload_.progress_tps.push_back(*value);
    return {};
}

// Errors and aborted clients; false when the line is neither.
bool Parser::failure(std::string_view text) {
    if (const auto client = pgbench::aborted_client(text)) {
        // One reason is enough: the clients of a broken run tend to die alike.
        if (aborted_.empty())
            reasons_.emplace_back(text);
        in_reason_ = aborted_.empty();
        aborted_.emplace(*client);
        return true;
    }
    if (!pgbench::is_error(text))
        return false;
    if (reasons_.size() < max_unknown_lines) {
        reasons_.emplace_back(text);
        in_reason_ = true;
    }
    return true;
}

void Parser::unknown(std::string_view text) {
    if (++unknown_ <= max_unknown_lines)
        workload_.notes.push_back("not understood: " + to_utf8(text.substr(0, max_note_bytes)));
}

Result<Workload> Parser::finish() {
    if (unknown_ > max_unknown_lines)
        workload_.notes.push_back(fmt::format("not understood: {} more lines", unknown_ - max_unknown_lines));
    if (known_ == 0 && reasons_.empty() && workload_.exit_status == 0)
        return fail("the output holds no line that pgbench prints", "is the load pgbench, and is LC_ALL=C?");

    workload_.reconnect = says_reconnect_ || pgbench_reconnects(argv_);
    if (!workload_.reconnect && argv_.empty() && tps_including_ && tps_excluding_ &&
        *tps_excluding_ > reconnect_ratio * *tps_including_) {
        workload_.reconnect = true;
        workload_.notes.emplace_back("taken for a run with -C: the two tps figures are far apart");
    }
    if (workload_.reconnect) {
        workload_.tps = tps_including_ ? tps_including_ : tps_excluding_;
        workload_.notes.emplace_back("every transaction connected anew (-C): tps includes that time");
    } else {
        workload_.tps = tps_excluding_ ? tps_excluding_ : tps_including_;
    }
    if (workload_.clients || !aborted_.empty())
        workload_.clients_aborted = static_cast<std::uint32_t>(aborted_.size());
    judge();
    return std::move(workload_);
}

// Whether the figures may be compared with others, and the reasons why not.
void Parser::judge() {
    std::vector<std::string> why = std::move(reasons_);
    for (auto& reason : why)
        reason = to_utf8(reason.substr(0, max_note_bytes));
    bool valid = true;
    const auto invalid = [&](std::string reason) {
        valid = false;
        why.push_back(std::move(reason));
    };
    if (workload_.exit_status != 0)
        invalid(fmt::format("pgbench ended with status {}", *workload_.exit_status));
    if (!aborted_.empty())
        invalid(fmt::format("{} of {} clients were aborted", aborted_.size(),
                            workload_.clients ? std::to_string(*workload_.clients) : std::string("an unknown number")));
    if (incomplete_)
        invalid("pgbench says that the run was aborted and its results are incomplete");
    if (!workload_.tps)
        invalid("pgbench printed no tps");
    else if (workload_.transactions == 0U)
        invalid("no transaction was processed");
    if (workload_.transactions_failed.value_or(0) > 0)
        why.push_back(fmt::format("{} transactions failed and are not part of tps", *workload_.transactions_failed));
    workload_.valid = valid;
    workload_.notes.insert(workload_.notes.begin(), why.begin(), why.end());
}

} // namespace

Result<Workload> parse_pgbench(std::string_view output, std::vector<std::string> argv, int exit_status) {
    return Parser(std::move(argv), exit_status).parse(output);
}

} // namespace snapscope
