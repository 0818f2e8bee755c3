#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/collector/procfs.hpp>

#include <algorithm>
#include <sstream>

namespace snapscope {
namespace {

template <typename T> std::vector<T> numbers_in(const std::filesystem::path& folder) {
    std::vector<T> numbers;
    std::error_code error;
    for (std::filesystem::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        if (const auto number = parse_integer<T>(it->path().filename().string()))
            numbers.push_back(*number);
    }
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

} // namespace

std::optional<std::string> read_text(const std::filesystem::path& file, std::size_t limit) {
    auto text = read_file(file, limit);
    return text ? std::optional(std::move(*text)) : std::nullopt;
}

Result<ProcessStat> parse_process_stat(std::string_view text) {
    const auto open = text.find('(');
    const auto close = text.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return fail("a process's stat has no name in parentheses");
    ProcessStat stat;
    stat.name = std::string(text.substr(open + 1, close - open - 1));

    std::istringstream rest{std::string(text.substr(close + 1))};
    std::vector<std::string> fields;
    for (std::string field; rest >> field;)
        fields.push_back(field);
    // Numbering of proc(5) starts at 3 (state) here.
    const auto field = [&](std::size_t number) { return std::string_view(fields[number - 3]); };
    if (fields.size() < 37 || fields[0].size() != 1)
        return fail("a process's stat has too few fields");
    const auto parent = parse_integer<pid_t>(field(4));
    const auto user = parse_integer<std::uint64_t>(field(14));
    const auto system = parse_integer<std::uint64_t>(field(15));
    const auto start = parse_integer<std::uint64_t>(field(22));
    const auto cpu = parse_integer<int>(field(39));
    if (!parent || !user || !system || !start || !cpu)
        return fail("a process's stat has a field that is no number");
    stat.state = fields[0][0];
    stat.parent = *parent;
    stat.user_ticks = *user;
    stat.system_ticks = *system;
    stat.start_ticks = *start;
    stat.cpu = *cpu;
    return stat;
}

std::vector<pid_t> ProcFs::pids() const {
    return numbers_in<pid_t>(root_);
}

std::filesystem::path ProcFs::path(pid_t pid, std::string_view name) const {
    return root_ / std::to_string(pid) / name;
}

Result<ProcessStat> ProcFs::stat(pid_t pid) const {
    const auto text = read_text(path(pid, "stat"));
    if (!text)
        return fail("no process has pid " + std::to_string(pid));
    return parse_process_stat(*text);
}

std::optional<std::string> ProcFs::link(pid_t pid, std::string_view name) const {
    std::error_code error;
    const auto target = std::filesystem::read_symlink(path(pid, name), error);
    if (error)
        return std::nullopt;
    return target.string();
}

std::vector<std::string> ProcFs::cmdline(pid_t pid) const {
    std::vector<std::string> arguments;
    const auto text = read_text(path(pid, "cmdline"));
    if (!text)
        return arguments;
    for (std::size_t begin = 0; begin < text->size();) {
        const auto end = std::min(text->find('\0', begin), text->size());
        arguments.push_back(text->substr(begin, end - begin));
        begin = end + 1;
    }
    return arguments;
}

std::optional<pid_t> ProcFs::namespace_pid(pid_t pid) const {
    const auto text = read_text(path(pid, "status"));
    if (!text)
        return std::nullopt;
    std::istringstream lines(*text);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("NSpid:"))
            continue;
        const auto last = line.find_last_of(" \t");
        return parse_integer<pid_t>(std::string_view(line).substr(last + 1));
    }
    return pid;
}

std::vector<int> ProcFs::descriptors(pid_t pid) const {
    return numbers_in<int>(path(pid, "fd"));
}

std::vector<pid_t> ProcFs::children_of(pid_t parent) const {
    std::vector<pid_t> children;
    for (const pid_t pid : pids()) {
        if (const auto process = stat(pid); process && process->parent == parent)
            children.push_back(pid);
    }
    return children;
}

std::optional<std::string> chosen_word(std::string_view text) {
    const auto open = text.find('[');
    const auto close = text.find(']', open == std::string_view::npos ? 0 : open);
    if (open == std::string_view::npos || close == std::string_view::npos)
        return std::nullopt;
    return std::string(text.substr(open + 1, close - open - 1));
}

} // namespace snapscope
