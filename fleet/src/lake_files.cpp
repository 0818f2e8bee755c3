#include "lake_files.hpp"

#include "tables.hpp"

#include <snapscope/base/files.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <sys/stat.h>
#include <system_error>

namespace snapscope {
namespace {

namespace fs = std::filesystem;

constexpr int lake_version = 1;
constexpr std::size_t marker_bytes = 4096;
constexpr std::string_view month_prefix = "month=";
constexpr std::string_view unfinished_prefix = ".unfinished-";
// Of compact: its rows come from many ingests, so that its name is none of theirs.
constexpr std::string_view compacted_prefix = "compacted-";

Status sync_file(const fs::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd || ::fsync(fd.get()) != 0)
        return fail_errno("cannot write " + file.string() + " through to the disk", errno);
    return {};
}

// Readers of a lake are other programs and other accounts; its folders follow
// the umask, unlike a run's.
Status make_folder(const fs::path& folder) {
    if (::mkdir(folder.c_str(), 0777) == 0)
        return sync_folder(folder.has_parent_path() ? folder.parent_path() : fs::path("."));
    if (errno != EEXIST)
        return fail_errno("cannot create the folder " + folder.string(), errno);
    return {};
}

// A file of one ingest, which its name is, that never got its rows in `runs`.
bool is_remains(const fs::path& file, const std::string& month, const Committed& committed) {
    const std::string ingest = file.stem().string();
    return !ingest.starts_with(compacted_prefix) && !committed.contains({ingest, month});
}

} // namespace

Status check_lake(const fs::path& folder) {
    const fs::path marker = folder / "lake.json";
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return fail("there is no lake at " + folder.string(), "snapscope fleet ingest makes one");
    const auto text = read_file(marker, marker_bytes);
    if (!text)
        return fail(folder.string() + " is no lake: it has no lake.json", "snapscope fleet ingest makes one");
    const auto json = nlohmann::json::parse(*text, nullptr, false);
    if (!json.is_object() || !json.contains("schema_version") || !json["schema_version"].is_number_integer())
        return fail("cannot read " + marker.string() + ": it does not say its schema_version");
    if (json["schema_version"] != lake_version)
        return fail(marker.string() + " has schema_version " + json["schema_version"].dump() + ", this program knows " +
                        std::to_string(lake_version),
                    "use the snapscope that wrote it, or a newer one");
    return {};
}

Status make_lake(const fs::path& folder) {
    std::error_code error;
    if (fs::exists(folder / "lake.json", error))
        return check_lake(folder);
    if (fs::exists(folder, error) && !fs::is_directory(folder, error))
        return fail(folder.string() + " is no folder", "name a folder for the lake");
    SNAPSCOPE_TRY(make_folder(folder));
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().filename() != ".lock")
            return fail(folder.string() + " is not empty and no lake", "name a new folder");
    if (error)
        return fail("cannot read the folder " + folder.string() + ": " + error.message());
    return write_file_atomically(folder / "lake.json", "{\"schema_version\": " + std::to_string(lake_version) + "}\n");
}

Result<UniqueFd> lock_lake(const fs::path& folder, const std::function<void()>& waiting) {
    const fs::path path = folder / ".lock";
    UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666));
    if (!fd)
        return fail_errno("cannot open the lock " + path.string(), errno, "does this account own the lake?");
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0)
        return fd;
    if (errno == EWOULDBLOCK) {
        waiting();
        int status = 0;
        do
            status = ::flock(fd.get(), LOCK_EX);
        while (status != 0 && errno == EINTR);
        if (status == 0)
            return fd;
    }
    return fail_errno("cannot lock " + path.string(), errno);
}

fs::path month_folder(const fs::path& lake, std::string_view table, std::string_view month) {
    return lake / table / (std::string(month_prefix) + std::string(month));
}

std::vector<std::string> months_of(const fs::path& lake, std::string_view table) {
    std::vector<std::string> months;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(lake / table, error))
        if (const std::string name = entry.path().filename().string(); name.starts_with(month_prefix))
            months.push_back(name.substr(month_prefix.size()));
    std::sort(months.begin(), months.end());
    return months;
}

std::vector<fs::path> files_of(const fs::path& folder) {
    std::vector<fs::path> files;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(folder, error))
        if (entry.path().extension() == ".parquet")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
}

fs::path unfinished_place(const fs::path& lake, std::string_view table, std::string_view name) {
    return lake / table / (std::string(unfinished_prefix) + std::string(name));
}

Status publish(const fs::path& file, const fs::path& target) {
    SNAPSCOPE_TRY(make_folder(target.parent_path()));
    SNAPSCOPE_TRY(sync_file(file));
    if (::rename(file.c_str(), target.c_str()) != 0)
        return fail_errno("cannot move " + file.string() + " to " + target.string(), errno);
    return sync_folder(target.parent_path());
}

Status exchange_folders(const fs::path& one, const fs::path& other) {
    if (::renameat2(AT_FDCWD, one.c_str(), AT_FDCWD, other.c_str(), RENAME_EXCHANGE) != 0)
        return fail_errno("cannot exchange " + one.string() + " and " + other.string(), errno,
                          "this file system may not be able to; the lake is as it was");
    return sync_folder(one.parent_path());
}

void remove_remains(const fs::path& lake, const Committed& committed) {
    std::error_code error;
    for (const LakeTable& table : lake_tables()) {
        std::vector<fs::path> remains;
        for (const auto& entry : fs::directory_iterator(lake / table.name, error))
            if (entry.path().filename().string().starts_with(unfinished_prefix))
                remains.push_back(entry.path());
        for (const std::string& month : months_of(lake, table.name))
            for (const fs::path& file : files_of(month_folder(lake, table.name, month)))
                if (is_remains(file, month, committed))
                    remains.push_back(file);
        for (const fs::path& path : remains)
            fs::remove_all(path, error);
    }
}

} // namespace snapscope
