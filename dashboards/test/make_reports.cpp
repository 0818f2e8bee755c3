// Writes the reports that browser.test.mjs opens, and beside a run's report
// what `show --format json` says of that run, into the folder given; TABLE is
// a sweep that somebody published.

#include <snapscope/analyzer/summary.hpp>
#include <snapscope/base/files.hpp>

#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <report_samples.hpp>
#include <sweep_samples.hpp>

namespace {

using namespace snapscope;

Status write_run(const std::filesystem::path& folder, const std::string& name, const Run& run) {
    SNAPSCOPE_TRY(write_file_atomically(folder / (name + ".html"), report_runs({{name + ".snap", run}}, "snapscope")));
    return write_file_atomically(
        folder / (name + ".json"),
        to_json(summarize(run)).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
}

Status write_sweeps(const std::filesystem::path& folder, const char* table) {
    const auto text = read_file(table, 1U << 20U);
    if (!text)
        return fail(text.error());
    SNAPSCOPE_TRY(write_file_atomically(folder / "sweep.html", report_sweep(samples::sweep(), "snapscope")));
    return write_file_atomically(folder / "table.html",
                                 report_sweep(samples::sweep_of_table(*text, "table.csv"), "snapscope"));
}

Status write_all(const std::filesystem::path& folder) {
    SNAPSCOPE_TRY(write_run(folder, "rich", samples::rich_run()));
    SNAPSCOPE_TRY(write_run(folder, "empty", samples::empty_run()));
    SNAPSCOPE_TRY(write_run(folder, "hostile", samples::hostile_run()));
    SNAPSCOPE_TRY(write_run(folder, "long", samples::long_run(250'000)));
    SNAPSCOPE_TRY(write_file_atomically(
        folder / "several.html",
        report_runs({{"a.snap", samples::rich_run()}, {"b.snap", samples::empty_run()}}, "snapscope")));
    SNAPSCOPE_TRY(
        write_file_atomically(folder / "paired.html", report_diff(samples::comparison(12, true), "snapscope")));
    SNAPSCOPE_TRY(
        write_file_atomically(folder / "unpaired.html", report_diff(samples::comparison(5, false), "snapscope")));
    return write_file_atomically(folder / "few.html", report_diff(samples::comparison(2, true), "snapscope"));
}

} // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: dashboards_make_reports FOLDER TABLE\n");
        return 2;
    }
    std::error_code error;
    std::filesystem::create_directories(argv[1], error);
    auto done = write_all(argv[1]);
    if (done)
        done = write_sweeps(argv[1], argv[2]);
    if (!done) {
        std::fprintf(stderr, "%s\n", done.error().message().c_str());
        return 1;
    }
    return 0;
}
