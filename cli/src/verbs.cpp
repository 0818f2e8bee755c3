#include "verbs.hpp"

namespace snapscope::cli {

void add_verbs(CLI::App& app, Context& context) {
    add_doctor(app, context);
    add_record(app, context);
    add_top(app, context);
    add_serve(app, context);
    add_calibrate(app, context);
    add_show(app, context);
    add_export(app, context);
    add_import(app, context);
    add_report(app, context);
    add_trace(app, context);
    add_diff(app, context);
    add_layout(app, context);
    add_simulate(app, context);
    add_emulate(app, context);
    add_sweep(app, context);
    add_analyze(app, context);
    add_fleet(app, context);
    app.footer(
        "Exit codes: 0 done, 1 failed, 2 usage, 3 done in part, 4 a regression was found, 130 interrupted twice.\n");
}

} // namespace snapscope::cli
