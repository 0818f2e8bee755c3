// Errors as values.  Every fallible function of every piece returns Result<T>;
// exceptions end at the program's edge.
#pragma once

#include <string>
#include <tl/expected.hpp>
#include <utility>

namespace snapscope {

// The class of a failure decides the exit code (see cli/exit.hpp).
enum class ErrorClass {
    failed,      // the operation did not work: exit 1
    usage,       // the caller asked for something that makes no sense: exit 2
    unavailable, // this host or server cannot give it: exit 3 where the rest can go on
};

struct Error {
    ErrorClass error_class = ErrorClass::failed;
    std::string what; // what failed, on what: one line, no trailing full stop
    std::string hint; // what to do next; may be empty

    // "what; hint" on one line.
    [[nodiscard]] std::string message() const { return hint.empty() ? what : what + "; " + hint; }
};

template <typename T> using Result = tl::expected<T, Error>;
using Status = Result<void>;

[[nodiscard]] inline tl::unexpected<Error> fail(std::string what, std::string hint = {},
                                                ErrorClass error_class = ErrorClass::failed) {
    return tl::unexpected<Error>(Error{error_class, std::move(what), std::move(hint)});
}

[[nodiscard]] inline tl::unexpected<Error> fail(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

// "what: strerror(errno_value)"
[[nodiscard]] tl::unexpected<Error> fail_errno(std::string what, int errno_value, std::string hint = {});

} // namespace snapscope

// Returns the error of EXPR from the calling function, else goes on.
#define SNAPSCOPE_TRY(EXPR)                                                                                            \
    do {                                                                                                               \
        if (auto snapscope_try_result = (EXPR); !snapscope_try_result)                                                 \
            return tl::unexpected<::snapscope::Error>(std::move(snapscope_try_result).error());                        \
    } while (false)
