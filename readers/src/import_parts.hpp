// One function a kind of file.
#pragma once

#include <snapscope/readers/import.hpp>

namespace snapscope {

[[nodiscard]] Result<Imported> import_pcm(std::string_view text, const ImportOptions& options);
[[nodiscard]] Result<Imported> import_c2c(std::string_view text, const ImportOptions& options);
[[nodiscard]] Result<Imported> import_perf_script(std::string_view text, const ImportOptions& options);
[[nodiscard]] Result<Imported> import_pgbench(std::string_view text, const ImportOptions& options);
[[nodiscard]] Result<Imported> import_histogram(std::string_view text, const ImportOptions& options);
[[nodiscard]] Result<Imported> import_waits(std::string_view text, const ImportOptions& options);

// A run that says what it came from and nothing else.
[[nodiscard]] Imported new_import(const ImportOptions& options);

// Rows by (from local, from remote); `by` is line, field, socket, ...
[[nodiscard]] Matrix hitm_matrix(const char* by);
void add_row(Matrix& matrix, std::string reader, double local, double remote);

} // namespace snapscope
