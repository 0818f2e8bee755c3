#include "dwarf_layout.hpp"

#include <snapscope/base/unique_fd.hpp>

#include <array>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace snapscope::mirror {
namespace {

struct EndDwarf {
    void operator()(Dwarf* dwarf) const { dwarf_end(dwarf); }
};

// What later versions call it, or earlier ones.
struct OtherName {
    std::string_view ours, theirs;
};
constexpr std::array other_names{OtherName{"VariableCacheData", "TransamVariablesData"},
                                 OtherName{"nextXid", "nextFullXid"}};

bool is_called(std::string_view name, std::string_view wanted) {
    if (name == wanted)
        return true;
    for (const auto& other : other_names)
        if (wanted == other.ours && name == other.theirs)
            return true;
    return false;
}

// Members by name, those of a member that is a structure too (vxid.lxid), and "" for the size.
using Members = std::map<std::string, Offset, std::less<>>;

std::optional<Dwarf_Word> constant(Dwarf_Die& die, unsigned name) {
    Dwarf_Attribute attribute;
    Dwarf_Word value = 0;
    if (dwarf_attr_integrate(&die, name, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
        return std::nullopt;
    return value;
}

void take_members(Dwarf_Die& structure, Offset base, Members& members, int depth) {
    Dwarf_Die child;
    if (dwarf_child(&structure, &child) != 0)
        return;
    do {
        const auto offset = constant(child, DW_AT_data_member_location);
        const char* name = dwarf_diename(&child);
        if (dwarf_tag(&child) != DW_TAG_member || !offset || name == nullptr)
            continue;
        const Offset at = base + static_cast<Offset>(*offset);
        members.emplace(name, at);
        Dwarf_Attribute attribute;
        Dwarf_Die type;
        if (depth > 0 && dwarf_attr_integrate(&child, DW_AT_type, &attribute) != nullptr &&
            dwarf_formref_die(&attribute, &type) != nullptr && dwarf_tag(&type) == DW_TAG_structure_type)
            take_members(type, at, members, depth - 1);
    } while (dwarf_siblingof(&child, &child) == 0);
}

std::map<std::string_view, Members> read_structures(Dwarf* dwarf, const std::vector<std::string_view>& wanted) {
    std::map<std::string_view, Members> found;
    Dwarf_Off offset = 0;
    Dwarf_Off next = 0;
    std::size_t header = 0;
    while (found.size() < wanted.size() &&
           dwarf_nextcu(dwarf, offset, &next, &header, nullptr, nullptr, nullptr) == 0) {
        Dwarf_Die unit;
        Dwarf_Die die;
        if (dwarf_offdie(dwarf, offset + header, &unit) != nullptr && dwarf_child(&unit, &die) == 0) {
            do {
                const char* name = dwarf_tag(&die) == DW_TAG_structure_type ? dwarf_diename(&die) : nullptr;
                const auto bytes = name != nullptr ? constant(die, DW_AT_byte_size) : std::nullopt;
                if (!bytes) // also a mere declaration
                    continue;
                for (const auto type : wanted) {
                    if (!is_called(name, type) || found.contains(type))
                        continue;
                    Members& members = found[type];
                    members.emplace("", static_cast<Offset>(*bytes));
                    take_members(die, 0, members, 1);
                }
            } while (dwarf_siblingof(&die, &die) == 0);
        }
        offset = next;
    }
    return found;
}

std::optional<Offset> member_of(const Members& members, std::string_view name) {
    for (const auto& [member, offset] : members)
        if (name.empty() ? member.empty() : is_called(member, name))
            return offset;
    return std::nullopt;
}

// A field that the version's table does not have is not looked for.
bool is_wanted(const LayoutField& field, const Layout& table) {
    return field.required != nullptr || (table.*field.optional).has_value();
}

std::optional<Layout> read_layout(const std::filesystem::path& file, const Layout& table) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)); // a fifo does not hold us up
    if (!fd)
        return std::nullopt;
    const std::unique_ptr<Dwarf, EndDwarf> dwarf(dwarf_begin(fd.get(), DWARF_C_READ));
    if (!dwarf)
        return std::nullopt;
    std::vector<std::string_view> types;
    for (const auto& field : layout_fields())
        if (is_wanted(field, table) && (types.empty() || types.back() != field.type))
            types.emplace_back(field.type);
    const auto structures = read_structures(dwarf.get(), types);
    Layout layout = table;
    for (const auto& field : layout_fields()) {
        if (!is_wanted(field, table))
            continue;
        const auto structure = structures.find(field.type);
        const auto offset = structure == structures.end() ? std::nullopt : member_of(structure->second, field.name);
        if (!offset)
            return std::nullopt;
        if (field.required != nullptr)
            layout.*field.required = *offset;
        else
            layout.*field.optional = *offset;
    }
    return layout;
}

} // namespace

std::optional<Layout> layout_from_debug_information(const std::filesystem::path& binary,
                                                    const std::filesystem::path& root,
                                                    const std::optional<std::string>& build_id, const Layout& table) {
    if (auto layout = read_layout(binary, table))
        return layout;
    if (!build_id || build_id->size() < 3)
        return std::nullopt;
    return read_layout(root / "usr/lib/debug/.build-id" / build_id->substr(0, 2) / (build_id->substr(2) + ".debug"),
                       table);
}

} // namespace snapscope::mirror
