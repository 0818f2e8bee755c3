// A run on disk, NAME.snap/: run.json (replaced only as a whole), journal.jsonl
// while the recording goes on (one line a window, append-only, removed when the
// run is finished), events/ when asked for.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/recording/run.hpp>

#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace snapscope {

// A fresh run id: 32 hex digits from the kernel's random numbers.
[[nodiscard]] Result<std::string> make_run_id();

// One window as the journal holds it: the interval, and one value a series.
// The series themselves (name, source, unit) are in the Run given to create().
struct WindowRow {
    std::int64_t start_ns = 0, end_ns = 0;
    std::vector<std::optional<double>> values;

    friend bool operator==(const WindowRow&, const WindowRow&) = default;
};

// A row as one line of JSON (no line end), and back: the journal's lines, and
// what a live reader of a recording gets.
[[nodiscard]] std::string window_row_to_line(const WindowRow& row);
[[nodiscard]] Result<WindowRow> window_row_from_line(std::string_view line);

// Whether a run may be called that: NAME.snap; class usage.
[[nodiscard]] Status check_run_name(const std::filesystem::path& folder);

class RunFolderWriter {
  public:
    // Fails where create() would, for the folder's sake; leaves nothing behind.
    static Status check(const std::filesystem::path& folder, bool force);
    // Creates FOLDER (0700; its name must end in .snap) with a first run.json
    // (finished = false) and an empty journal.  An existing folder is an error
    // unless `force`, which removes it only if it is a run folder
    // that nobody is recording into.  Refuses a run that read_run would refuse.
    static Result<RunFolderWriter> create(const std::filesystem::path& folder, const Run& run, bool force);
    RunFolderWriter(RunFolderWriter&&) noexcept;
    RunFolderWriter& operator=(RunFolderWriter&&) noexcept;
    RunFolderWriter(const RunFolderWriter&) = delete;
    RunFolderWriter& operator=(const RunFolderWriter&) = delete;
    ~RunFolderWriter();

    [[nodiscard]] const std::filesystem::path& folder() const;
    [[nodiscard]] std::filesystem::path events_folder() const;

    Status append_window(const WindowRow& row);
    // Replaces run.json whole with what is known by now, for who reads a recording
    // that goes on or was cut off; the windows stay in the journal.
    Status revise(const Run& run);
    // Replaces run.json whole with the final state (finished = true) and removes
    // the journal.  `run` must hold all windows.  On an error the folder stays
    // what it was: a run that was cut off.
    Status finish(const Run& run);

  private:
    struct State;
    explicit RunFolderWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// Reads a run, finished or cut off (then the journal's whole lines become its
// windows, `finished` is false and a warning says up to where).  Strict: an
// unknown schema_version, a wrong type or a missing field (null says that nobody
// could tell; absent says nothing) is an error that names file and JSON pointer;
// unknown fields are ignored.
[[nodiscard]] Result<Run> read_run(const std::filesystem::path& folder);

// The JSON of run.json, and back (strict as above).
[[nodiscard]] nlohmann::json run_to_json(const Run& run);
[[nodiscard]] Result<Run> run_from_json(const nlohmann::json& json);

// Words of the schema.
[[nodiscard]] const char* to_string(EvidenceKind kind);
[[nodiscard]] const char* to_string(SourceState state);

} // namespace snapscope
