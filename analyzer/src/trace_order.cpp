#include "trace_order.hpp"

#include <algorithm>

namespace snapscope {

void TraceOrder::add(std::int64_t ts, std::int64_t length, std::string json) {
    heap_.push({ts, length, sequence_++, std::move(json)});
}

Status TraceOrder::emit_top() {
    const Status status = emit_(heap_.top().json);
    heap_.pop();
    return status;
}

Status TraceOrder::release(std::int64_t ts) {
    while (!heap_.empty() && heap_.top().ts < ts)
        SNAPSCOPE_TRY(emit_top());
    released_ = std::max(released_, ts);
    return {};
}

Status TraceOrder::finish() {
    while (!heap_.empty())
        SNAPSCOPE_TRY(emit_top());
    return {};
}

} // namespace snapscope
