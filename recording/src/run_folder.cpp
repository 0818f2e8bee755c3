#include "journal.hpp"
#include "json_text.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/recording/access_trace.hpp>
#include <snapscope/recording/run_folder.hpp>
#include <snapscope/recording/windows.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/random.h>
#include <unistd.h>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

constexpr const char* run_name = "run.json";
constexpr const char* journal_name = "journal.jsonl";
constexpr const char* events_name = "events";
constexpr std::size_t max_run_bytes = std::size_t{2} << 30;

// The bytes of run.json, or why read_run would refuse them.
Result<std::string> run_bytes(const Run& run) {
    const nlohmann::json json = run_to_json(run);
    if (auto checked = run_from_json(json); !checked)
        return fail("cannot write a run that nobody could read: " + checked.error().what);
    return json.dump() + "\n";
}

Result<Run> read_run_json(const fs::path& folder) {
    const fs::path path = folder / run_name;
    const auto bytes = read_file(path, max_run_bytes);
    if (!bytes)
        return fail(bytes.error().what, "give a run folder (NAME.snap)");
    const auto json = parse_json(*bytes, path.string());
    if (!json)
        return fail(json.error());
    auto run = run_from_json(*json);
    if (!run)
        return fail(fmt::format("{}: {}", path.string(), run.error().what));
    return run;
}

// Puts the journal's rows into a run that has no end, and says what is missing.
void complete_from_journal(Run& run, const JournalRows& journal) {
    for (const WindowRow& row : journal.rows)
        append_row(run.windows, row);
    add_totals_of_windows(run);
    std::string until = "before its first whole window";
    if (!run.windows.end_ns.empty()) {
        run.clock.end_ns = std::max(run.clock.end_ns, run.windows.end_ns.back());
        const auto after_ns = run.windows.end_ns.back() - run.clock.start_ns;
        until = fmt::format("{:.3f} s after its start", static_cast<double>(after_ns) * 1e-9);
    }
    if (journal.recording)
        run.warnings.push_back(fmt::format("the recording is still going on: windows up to {}", until));
    else
        run.warnings.push_back(fmt::format("the recording was cut off: {} whole windows, the last one ends {}{}",
                                           run.windows.end_ns.size(), until,
                                           journal.torn ? "; what followed them is damaged" : ""));
}

// Whether the folder is a run, holds nothing else and has no writer: only then
// may it be removed.
Status check_removable(const fs::path& folder) {
    const std::string refusal = fmt::format("will not remove {}", folder.string());
    std::error_code error;
    if (!fs::is_directory(fs::symlink_status(folder, error)))
        return fail(refusal + ": it is no folder", "choose another name");
    if (auto run = read_run_json(folder); !run)
        return fail(fmt::format("{}: it is not a run ({})", refusal, run.error().what), "choose another name");
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        // "run.json.*": left by a writer that was killed while it replaced run.json.
        if (name != run_name && name != journal_name && name != events_name && name != access_trace_file &&
            !name.starts_with(std::string(run_name) + "."))
            return fail(fmt::format("{}: it also holds {}, which is no part of a run", refusal, name),
                        "move that away or choose another name");
    }
    if (error)
        return fail(fmt::format("{}: {}", refusal, error.message()));
    if (journal_is_held(folder / journal_name))
        return fail(refusal + ": a recording into it is going on", "end it first or choose another name");
    return {};
}

// A folder that is removed again unless it has got its final name.
class NewFolder {
  public:
    static Result<NewFolder> create(const fs::path& beside) {
        const auto parent = beside.parent_path().empty() ? fs::path(".") : beside.parent_path();
        std::string name = (parent / ("." + beside.filename().string() + ".XXXXXX")).string();
        if (::mkdtemp(name.data()) == nullptr) // mode 0700
            return fail_errno(fmt::format("cannot create a folder in {}", parent.string()), errno,
                              "give a folder that exists and can be written");
        return NewFolder(name);
    }
    NewFolder(NewFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    NewFolder(const NewFolder&) = delete;
    NewFolder& operator=(const NewFolder&) = delete;
    NewFolder& operator=(NewFolder&&) = delete;
    ~NewFolder() {
        std::error_code ignored; // what is left is a hidden folder with no run in it
        if (!path_.empty())
            fs::remove_all(path_, ignored);
    }

    [[nodiscard]] const fs::path& path() const { return path_; }

    Status move_to(const fs::path& target) {
        if (::rename(path_.c_str(), target.c_str()) != 0)
            return fail_errno(fmt::format("cannot create {}", target.string()), errno);
        path_.clear();
        return sync_folder(target.parent_path().empty() ? fs::path(".") : target.parent_path());
    }

  private:
    explicit NewFolder(fs::path path) : path_(std::move(path)) {}
    fs::path path_;
};

// "x.snap/" is x.snap.
fs::path without_slash(const fs::path& given) {
    return given.has_filename() ? given : given.parent_path();
}

// The words of FAILED, which tried to write in MADE, for the folder that MADE was to become.
Error about(Error failed, const fs::path& made, const fs::path& folder) {
    if (const auto at = failed.what.find(made.string()); at != std::string::npos)
        failed.what.replace(at, made.string().size(), folder.string());
    return failed;
}

} // namespace

Status check_run_name(const fs::path& given) {
    const fs::path folder = without_slash(given);
    if (folder.extension() != ".snap" || folder.stem().empty())
        return fail(fmt::format("cannot record into '{}': the name must end in .snap", given.string()),
                    "name the run NAME.snap", ErrorClass::usage);
    return {};
}

Status RunFolderWriter::check(const fs::path& given, bool force) {
    SNAPSCOPE_TRY(check_run_name(given));
    const fs::path folder = without_slash(given);
    std::error_code error;
    if (fs::exists(fs::symlink_status(folder, error))) {
        if (!force)
            return fail(fmt::format("{} exists", folder.string()), "choose another name or use --force");
        SNAPSCOPE_TRY(check_removable(folder));
    }
    auto probe = NewFolder::create(folder);
    return probe ? Status{} : fail(probe.error());
}

struct RunFolderWriter::State {
    fs::path folder;
    std::size_t first_rows = 0; // windows that the first run.json held
    std::size_t columns = 0;
    Journal journal;
};

RunFolderWriter::RunFolderWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
RunFolderWriter::RunFolderWriter(RunFolderWriter&&) noexcept = default;
RunFolderWriter& RunFolderWriter::operator=(RunFolderWriter&&) noexcept = default;
RunFolderWriter::~RunFolderWriter() = default;

Result<RunFolderWriter> RunFolderWriter::create(const fs::path& given, const Run& run, bool force) {
    SNAPSCOPE_TRY(check(given, force));
    const fs::path folder = without_slash(given);

    // Built aside and renamed: a folder of this name always holds a run.
    auto made = NewFolder::create(folder);
    if (!made)
        return fail(std::move(made).error());
    Run first = run;
    first.finished = false;
    const auto bytes = run_bytes(first);
    if (!bytes)
        return fail(bytes.error());
    if (const auto written = write_file_atomically(made->path() / run_name, *bytes); !written)
        return fail(about(written.error(), made->path(), folder));
    auto journal = Journal::create(made->path() / journal_name);
    if (!journal)
        return fail(about(journal.error(), made->path(), folder));

    if (std::error_code error; force && (fs::remove_all(folder, error), error))
        return fail(fmt::format("cannot remove {}: {}", folder.string(), error.message()));
    SNAPSCOPE_TRY(made->move_to(folder));
    return RunFolderWriter(std::make_unique<State>(
        State{folder, run.windows.start_ns.size(), run.windows.series.size(), std::move(*journal)}));
}

const fs::path& RunFolderWriter::folder() const {
    return state_->folder;
}

fs::path RunFolderWriter::events_folder() const {
    return state_->folder / events_name;
}

Status RunFolderWriter::append_window(const WindowRow& row) {
    if (row.values.size() != state_->columns)
        return fail(fmt::format("a window of {} has {} values for {} series", state_->folder.string(),
                                row.values.size(), state_->columns));
    if (row.end_ns < row.start_ns)
        return fail(fmt::format("a window of {} ends before it starts", state_->folder.string()));
    return state_->journal.append(row);
}

Status RunFolderWriter::revise(const Run& run) {
    Run present = run;
    present.finished = false;
    present.windows.start_ns.resize(state_->first_rows);
    present.windows.end_ns.resize(state_->first_rows);
    for (Series& series : present.windows.series)
        series.values.resize(state_->first_rows);
    const auto bytes = run_bytes(present);
    if (!bytes)
        return fail(bytes.error());
    return write_file_atomically(state_->folder / run_name, *bytes);
}

Status RunFolderWriter::finish(const Run& run) {
    const std::size_t rows = state_->first_rows + state_->journal.rows();
    if (run.windows.start_ns.size() < rows)
        return fail(fmt::format("cannot finish {}: {} of its {} windows are missing", state_->folder.string(),
                                rows - run.windows.start_ns.size(), rows));
    Run last = run;
    last.finished = true;
    const auto bytes = run_bytes(last);
    if (!bytes)
        return fail(bytes.error());
    SNAPSCOPE_TRY(write_file_atomically(state_->folder / run_name, *bytes));
    if (std::error_code error; !fs::remove(state_->folder / journal_name, error) && error)
        return fail(fmt::format("cannot remove {}: {}", (state_->folder / journal_name).string(), error.message()));
    return {};
}

Result<Run> read_run(const fs::path& folder) {
    auto run = read_run_json(folder);
    if (!run || run->finished)
        return run;
    const fs::path journal_path = folder / journal_name;
    auto journal = read_journal(journal_path, run->windows.series.size());
    if (!journal) {
        // A writer that has just finished removed it after replacing run.json.
        auto again = read_run_json(folder);
        if (!again || again->finished)
            return again;
        run->warnings.push_back("the recording was cut off and its journal cannot be read: " + journal.error().what);
        return run;
    }
    complete_from_journal(*run, *journal);
    return run;
}

Result<std::string> make_run_id() {
    std::array<unsigned char, 16> bytes{};
    if (::getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
        return fail_errno("cannot get random numbers for a run id", errno);
    std::string id;
    for (const unsigned char byte : bytes)
        id += fmt::format("{:02x}", byte);
    return id;
}

} // namespace snapscope
