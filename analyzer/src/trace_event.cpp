#include "trace_event.hpp"

#include <algorithm>

namespace snapscope {
namespace {

using Token = JsonScanner::Token;

TraceEvent::Kind kind_of(Token token) {
    switch (token) {
    case Token::string:
        return TraceEvent::Kind::string;
    case Token::number:
        return TraceEvent::Kind::number;
    case Token::begin_object:
        return TraceEvent::Kind::object;
    case Token::begin_array:
        return TraceEvent::Kind::array;
    default:
        return TraceEvent::Kind::literal;
    }
}

// The value after a key: scalars whole, containers skipped.
Result<TraceEvent::Value> read_value(JsonScanner& scanner) {
    const auto token = scanner.next();
    if (!token)
        return fail(token.error());
    TraceEvent::Value value{kind_of(*token), scanner.offset(), {}};
    if (value.kind != TraceEvent::Kind::object && value.kind != TraceEvent::Kind::array)
        value.text = scanner.text();
    SNAPSCOPE_TRY(scanner.skip_value(*token));
    return value;
}

Status read_args(JsonScanner& scanner, TraceEvent& event) {
    for (;;) {
        const auto token = scanner.next();
        if (!token)
            return fail(token.error());
        if (*token == Token::end_object)
            return {};
        std::string key = scanner.text();
        auto value = read_value(scanner);
        if (!value)
            return fail(value.error());
        ++event.args_total;
        if (event.args.size() < TraceEvent::kept_args)
            event.args.push_back({std::move(key), std::move(*value)});
    }
}

} // namespace

std::string_view TraceEvent::string(TraceField field) const {
    return at(field).kind == Kind::string ? std::string_view(at(field).text) : std::string_view();
}

Result<TraceEvent> TraceEvent::read(JsonScanner& scanner, std::uint64_t index) {
    TraceEvent event;
    event.index = index;
    event.offset = scanner.offset();
    for (;;) {
        const auto token = scanner.next();
        if (!token)
            return fail(token.error());
        if (*token == Token::end_object)
            return event;
        const auto* const known = std::find(trace_field_names.begin(), trace_field_names.end(), scanner.text());
        if (known == trace_field_names.end()) {
            const auto skipped = read_value(scanner);
            if (!skipped)
                return fail(skipped.error());
            continue;
        }
        const auto field = static_cast<std::size_t>(known - trace_field_names.begin());
        if (event.values[field].kind != Kind::absent)
            event.repeated_key = *known;
        const bool args = field == static_cast<std::size_t>(TraceField::args);
        const auto first = scanner.next();
        if (!first)
            return fail(first.error());
        Value& value = event.values[field];
        value = {kind_of(*first), scanner.offset(), {}};
        if (value.kind == Kind::object && args)
            SNAPSCOPE_TRY(read_args(scanner, event));
        else if (value.kind == Kind::object || value.kind == Kind::array)
            SNAPSCOPE_TRY(scanner.skip_value(*first));
        else
            value.text = scanner.text();
    }
}

} // namespace snapscope
