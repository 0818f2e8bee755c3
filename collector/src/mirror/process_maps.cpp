#include "process_maps.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope::mirror {
namespace {

// The text up to a blank, which is taken off LINE with it; empty when there is none.
std::string_view take_word(std::string_view& line) {
    const auto end = line.find(' ');
    if (end == std::string_view::npos)
        return {};
    const auto word = line.substr(0, end);
    line.remove_prefix(end + 1);
    return word;
}

template <typename T> bool take_pair(std::string_view word, char separator, T& first, T& second) {
    const auto at = word.find(separator);
    if (at == std::string_view::npos)
        return false;
    const auto low = parse_integer<T>(word.substr(0, at), 16);
    const auto high = parse_integer<T>(word.substr(at + 1), 16);
    if (!low || !high)
        return false;
    first = *low;
    second = *high;
    return true;
}

bool are_rights(std::string_view word) {
    constexpr std::string_view letters = "rwx";
    for (std::size_t i = 0; i < letters.size(); ++i)
        if (word.size() != 4 || (word[i] != letters[i] && word[i] != '-'))
            return false;
    return word[3] == 's' || word[3] == 'p';
}

std::optional<Mapped> parse_line(std::string_view line) {
    Mapped mapping;
    if (!take_pair(take_word(line), '-', mapping.start, mapping.end) || mapping.start >= mapping.end)
        return std::nullopt;
    mapping.rights = take_word(line);
    const auto offset = parse_integer<std::uint64_t>(take_word(line), 16);
    if (!are_rights(mapping.rights) || !offset ||
        !take_pair(take_word(line), ':', mapping.device_major, mapping.device_minor))
        return std::nullopt;
    mapping.offset = *offset;
    // The inode is followed by a blank, also where there is no name.
    const auto inode = parse_integer<std::uint64_t>(take_word(line));
    if (!inode)
        return std::nullopt;
    mapping.inode = *inode;
    mapping.name = trim(line);
    return mapping;
}

} // namespace

Result<std::vector<Mapped>> parse_maps(std::string_view text) {
    std::vector<Mapped> maps;
    for (std::size_t number = 1; !text.empty(); ++number) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos)
            return fail(fmt::format("line {} of the process's maps is cut off", number));
        auto mapping = parse_line(text.substr(0, end));
        if (!mapping || (!maps.empty() && mapping->start < maps.back().end))
            return fail(fmt::format("line {} of the process's maps is no mapping", number));
        maps.push_back(std::move(*mapping));
        text.remove_prefix(end + 1);
    }
    if (maps.empty())
        return fail("the process's maps are empty");
    return maps;
}

std::optional<Mapped> mapping_of(const std::vector<Mapped>& maps, const FileIdentity& file) {
    const auto same_inode = [&](const Mapped& m) {
        return m.offset == 0 && m.inode != 0 && m.inode == file.inode && m.device_major == file.device_major &&
               m.device_minor == file.device_minor;
    };
    const auto same_name = [&](const Mapped& m) { return m.offset == 0 && m.inode != 0 && m.name == file.name; };
    auto found = std::ranges::find_if(maps, same_inode);
    if (found == maps.end())
        found = std::ranges::find_if(maps, same_name);
    return found == maps.end() ? std::nullopt : std::optional(*found);
}

std::optional<Mapped> mapping_at(const std::vector<Mapped>& maps, Address address) {
    const auto found = std::ranges::find_if(maps, [&](const Mapped& m) { return m.holds(address); });
    return found == maps.end() ? std::nullopt : std::optional(*found);
}

std::optional<PageKind> page_kind(const Mapped& mapping) {
    if (mapping.rights != "rw-s")
        return std::nullopt;
    if (mapping.name.starts_with("/anon_hugepage"))
        return PageKind::huge;
    if (mapping.name.starts_with("/SYSV"))
        return PageKind::sysv;
    if (mapping.name.starts_with("/dev/zero"))
        return PageKind::ordinary;
    return std::nullopt;
}

const char* to_string(PageKind kind) {
    switch (kind) {
    case PageKind::huge:
        return "huge pages";
    case PageKind::sysv:
        return "System V shared memory";
    case PageKind::ordinary:
        break;
    }
    return "ordinary pages";
}

} // namespace snapscope::mirror
