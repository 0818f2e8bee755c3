#include "verbs.hpp"

namespace snapscope::cli {

void add_verbs([[maybe_unused]] CLI::App& app, [[maybe_unused]] Context& context) {
    app.footer(
        "Exit codes: 0 done, 1 failed, 2 usage, 3 done in part, 4 a regression was found, 130 interrupted twice.\n");
}

} // namespace snapscope::cli
