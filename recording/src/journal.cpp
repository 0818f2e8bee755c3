#include "journal.hpp"

#include "json_text.hpp"

#include <snapscope/base/files.hpp>

#include <cerrno>
#include <cmath>
#include <fcntl.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sys/file.h>
#include <unistd.h>

namespace snapscope {
namespace {

using nlohmann::json;

constexpr std::size_t max_journal_bytes = std::size_t{4} << 30;

bool read_time(const json& row, const char* key, std::int64_t& out) {
    const auto value = row.find(key);
    // A time above INT64_MAX would come back negative.
    if (value == row.end() || !value->is_number_integer() ||
        (value->is_number_unsigned() && value->get<std::uint64_t>() > INT64_MAX))
        return false;
    out = value->get<std::int64_t>();
    return true;
}

bool read_values(const json& row, std::vector<std::optional<double>>& out) {
    const auto values = row.find("values");
    if (values == row.end() || !values->is_array())
        return false;
    for (const json& value : *values) {
        if (!value.is_null() && !value.is_number())
            return false;
        out.push_back(value.is_null() ? std::nullopt : std::optional(value.get<double>()));
    }
    return true;
}

} // namespace

std::string window_row_to_line(const WindowRow& row) {
    json values = json::array();
    for (const auto& value : row.values)
        values.push_back(value && std::isfinite(*value) ? json(*value) : json(nullptr));
    return json{{"start_ns", row.start_ns}, {"end_ns", row.end_ns}, {"values", std::move(values)}}.dump();
}

Result<WindowRow> window_row_from_line(std::string_view line) {
    const auto refuse = [](const std::string& why) { return fail("cannot read a window: " + why); };
    const auto row = parse_json(line, "a window");
    if (!row)
        return fail(row.error());
    WindowRow out;
    if (!row->is_object() || !read_time(*row, "start_ns", out.start_ns) || !read_time(*row, "end_ns", out.end_ns) ||
        !read_values(*row, out.values))
        return refuse("expected start_ns, end_ns and values");
    if (out.end_ns < out.start_ns)
        return refuse("it ends before it starts");
    return out;
}

Result<Journal> Journal::create(const std::filesystem::path& path) {
    auto fd = create_private_file(path);
    if (!fd)
        return fail(std::move(fd).error());
    if (::flock(fd->get(), LOCK_EX | LOCK_NB) != 0)
        return fail_errno(fmt::format("cannot lock {}", path.string()), errno);
    Journal journal(std::move(*fd));
    journal.path_ = path;
    return journal;
}

Status Journal::append(const WindowRow& row) {
    if (torn_)
        return fail(fmt::format("cannot append to {}: its last line is cut off", path_.string()));
    const std::string line = window_row_to_line(row) + "\n";
    if (auto written = write_all(fd_.get(), line, path_); !written) {
        // Half a line would end the journal for its readers; whole lines may follow.
        torn_ = ::ftruncate(fd_.get(), bytes_) != 0 || ::lseek(fd_.get(), bytes_, SEEK_SET) != bytes_;
        return written;
    }
    bytes_ += static_cast<std::int64_t>(line.size());
    ++rows_;
    return {};
}

Result<JournalRows> read_journal(const std::filesystem::path& path, std::size_t columns) {
    JournalRows out;
    // Before the bytes: a writer that ends in between has written them all.
    out.recording = journal_is_held(path);
    const auto bytes = read_file(path, max_journal_bytes);
    if (!bytes)
        return fail(bytes.error());
    std::string_view rest = *bytes;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        auto row = end == std::string_view::npos ? Result<WindowRow>(fail("no line end"))
                                                 : window_row_from_line(rest.substr(0, end));
        if (!row || row->values.size() != columns) {
            out.torn = true;
            break;
        }
        out.rows.push_back(std::move(*row));
        rest.remove_prefix(end + 1);
    }
    return out;
}

bool journal_is_held(const std::filesystem::path& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW));
    return fd && ::flock(fd.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

} // namespace snapscope
