#include "exit.hpp"

#include "escape.hpp"

#include <cstdio>
#include <fmt/format.h>

namespace snapscope::cli {

int report(const Error& error) {
    std::fflush(stdout); // what was printed before belongs above the error
    fmt::print(stderr, "snapscope: {}\n", escape_terminal(error.message()));
    return exit_code(error.error_class);
}

} // namespace snapscope::cli
