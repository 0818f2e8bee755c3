#include <snapscope/base/elf_walk.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/binary.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <string_view>

namespace snapscope {
namespace {

std::string_view bytes_of(Elf_Scn* section) {
    const Elf_Data* data = elf_rawdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr)
        return {};
    return {static_cast<const char*>(data->d_buf), data->d_size};
}

// Text up to a NUL; nullopt when there is none.
std::optional<std::string_view> take_string(std::string_view& bytes) {
    const auto end = bytes.find('\0');
    if (end == std::string_view::npos)
        return std::nullopt;
    const auto text = bytes.substr(0, end);
    bytes.remove_prefix(end + 1);
    return text;
}

void read_notes(Elf_Scn* section, BinaryFacts& facts) {
    constexpr std::size_t addresses_bytes = std::size_t{3} * 8; // of a stapsdt note: site, base, semaphore
    constexpr GElf_Word stapsdt_type = 3;
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || data->d_buf == nullptr)
        return;
    GElf_Nhdr note{};
    std::size_t name_at = 0;
    std::size_t text_at = 0;
    for (std::size_t at = 0, next = 0; (next = gelf_getnote(data, at, &note, &name_at, &text_at)) > 0; at = next) {
        const auto* base = static_cast<const char*>(data->d_buf);
        std::string_view name(base + name_at, note.n_namesz);
        std::string_view text(base + text_at, note.n_descsz);
        const std::string_view owner = name.substr(0, name.find('\0'));
        if (owner == "GNU" && note.n_type == NT_GNU_BUILD_ID) {
            std::string hex;
            for (const char byte : text)
                hex += fmt::format("{:02x}", static_cast<unsigned char>(byte));
            facts.build_id = hex;
        }
        if (owner != "stapsdt" || note.n_type != stapsdt_type || text.size() < addresses_bytes)
            continue;
        text.remove_prefix(addresses_bytes);
        const auto provider = take_string(text);
        const auto probe = take_string(text);
        if (provider == "snapscope" && probe)
            facts.snapscope_probes.emplace_back(*probe);
        else if (provider == "postgresql" && probe)
            facts.server_probes.emplace_back(*probe);
    }
}

} // namespace

std::optional<std::string> find_version(std::string_view read_only_data) {
    constexpr std::string_view marker = "postgres (PostgreSQL) ";
    const auto at = read_only_data.find(marker);
    if (at == std::string_view::npos)
        return std::nullopt;
    const auto text = read_only_data.substr(at + marker.size(), 128);
    const auto end = text.find_first_of(std::string_view("\n\0", 2));
    if (end == std::string_view::npos || end == 0)
        return std::nullopt;
    return std::string(text.substr(0, end));
}

Result<BinaryFacts> read_binary(const std::filesystem::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot read the server's binary", errno);
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
    std::size_t names = 0;
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF || elf_getshdrstrndx(elf.get(), &names) != 0)
        return fail("the server's binary is no ELF file");
    BinaryFacts facts;
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr)
            continue;
        const char* name = elf_strptr(elf.get(), names, header.sh_name);
        if (header.sh_type == SHT_NOTE)
            read_notes(section, facts);
        else if (name != nullptr && std::strcmp(name, ".rodata") == 0)
            facts.version = find_version(bytes_of(section));
    }
    for (auto* probes : {&facts.snapscope_probes, &facts.server_probes}) {
        std::sort(probes->begin(), probes->end());
        probes->erase(std::unique(probes->begin(), probes->end()), probes->end());
    }
    return facts;
}

} // namespace snapscope
