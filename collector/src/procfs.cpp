#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/procfs.hpp>

#include <algorithm>
#include <array>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <sstream>
#include <unistd.h>

namespace snapscope {
namespace {

struct CloseFolder {
    void operator()(DIR* folder) const { ::closedir(folder); }
};

// A host has thousands of processes: no entry costs more than its name.
template <typename T> std::vector<T> numbers_in(const std::filesystem::path& path) {
    std::vector<T> numbers;
    const std::unique_ptr<DIR, CloseFolder> folder(::opendir(path.c_str()));
    while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr)
        if (const auto number = parse_integer<T>(std::string_view(entry->d_name)))
            numbers.push_back(*number);
    std::sort(numbers.begin(), numbers.end());
    return numbers;
}

// The words of TEXT, split at blanks; those behind the last of WORDS are left out.
template <std::size_t N> std::size_t split_words(std::string_view text, std::array<std::string_view, N>& words) {
    std::size_t count = 0;
    constexpr std::string_view blanks = " \n";
    for (auto begin = text.find_first_not_of(blanks); begin != std::string_view::npos && count < N;) {
        const auto end = std::min(text.find_first_of(blanks, begin), text.size());
        words[count++] = text.substr(begin, end - begin);
        begin = text.find_first_not_of(blanks, end);
    }
    return count;
}

} // namespace

// Most files of procfs fit one page; the others are read as any file.
std::optional<std::string> read_text(const std::filesystem::path& file, std::size_t limit) {
    std::array<char, 4096> page; // NOLINT(cppcoreguidelines-pro-type-member-init): read into
    std::size_t used = 0;
    {
        const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
        ssize_t got = -1;
        while (fd && used < page.size() && (got = ::read(fd.get(), page.data() + used, page.size() - used)) > 0)
            used += static_cast<std::size_t>(got);
        if (got == 0 && used <= limit)
            return std::string(page.data(), used);
        if (!fd)
            return std::nullopt;
    }
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

    // Numbering of proc(5) starts at 3 (state) here.
    std::array<std::string_view, 37> fields;
    const auto field = [&](std::size_t number) { return fields[number - 3]; };
    if (split_words(text.substr(close + 1), fields) < fields.size() || fields[0].size() != 1)
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

std::vector<pid_t> ProcFs::listed_children(pid_t parent) const {
    const auto list = read_text(path(parent, "task/" + std::to_string(parent) + "/children"));
    if (!list)
        return children_of(parent);
    std::vector<pid_t> children;
    std::istringstream words(*list);
    for (std::string word; words >> word;)
        if (const auto pid = parse_integer<pid_t>(word))
            children.push_back(*pid);
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
