// A row of a run's sources, for tests.
#pragma once

#include <snapscope/recording/run.hpp>

namespace snapscope {

inline SourceStatus source(const char* name, EvidenceKind kind, SourceState state, const char* reason = "",
                           const char* hint = "") {
    SourceStatus out;
    out.name = name;
    out.kind = kind;
    out.state = state;
    out.reason = reason;
    out.hint = hint;
    return out;
}

} // namespace snapscope
