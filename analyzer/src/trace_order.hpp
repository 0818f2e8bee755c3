// Puts trace events into the order of time: a slice is known at its end but
// stands at its start.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <functional>
#include <queue>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

class TraceOrder {
  public:
    using Emit = std::function<Status(std::string_view json)>;
    explicit TraceOrder(Emit emit) : emit_(std::move(emit)) {}

    // An event at `ts` (not before released()).  `length` is a slice's
    // duration, so that of two that begin together the outer comes first; 0 for
    // anything else.
    void add(std::int64_t ts, std::int64_t length, std::string json);
    // Nothing before `ts` will be added any more: emits what is.
    [[nodiscard]] Status release(std::int64_t ts);
    [[nodiscard]] Status finish();

    [[nodiscard]] std::size_t pending() const { return heap_.size(); }
    // Times before this one are out.
    [[nodiscard]] std::int64_t released() const { return released_; }

  private:
    struct Entry {
        std::int64_t ts;
        std::int64_t length;
        std::uint64_t sequence;
        std::string json;
    };
    struct Later {
        bool operator()(const Entry& a, const Entry& b) const {
            if (a.ts != b.ts)
                return a.ts > b.ts;
            if (a.length != b.length)
                return a.length < b.length;
            return a.sequence > b.sequence;
        }
    };
    [[nodiscard]] Status emit_top();

    Emit emit_;
    std::priority_queue<Entry, std::vector<Entry>, Later> heap_;
    std::uint64_t sequence_ = 0;
    std::int64_t released_ = 0;
};

} // namespace snapscope
