// What must hold in a run beyond types: texts with a form, columns of equal
// length, and numbers whose source has a row.
#pragma once

#include <snapscope/recording/run.hpp>

#include <optional>
#include <string>

namespace snapscope::run_json {

// What is wrong in a run.json, and where.  The pointer is put together on the
// way out, so that reading what is right costs no strings.
struct Problem {
    std::string pointer; // JSON pointer, from the place where it was found
    std::string what;
};

using Check = std::optional<Problem>; // nullopt: nothing is wrong

// The same problem, seen from the value that holds it under `key`.
inline Check under(const std::string& key, Check check) {
    if (check)
        check->pointer.insert(0, "/" + key);
    return check;
}

inline Check problem(std::string what) {
    return Problem{"", std::move(what)};
}

[[nodiscard]] Check check_run(const Run& run);

} // namespace snapscope::run_json
