#include "elf_symbols.hpp"

#include <snapscope/base/unique_fd.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <gelf.h>
#include <memory>

namespace snapscope::mirror {
namespace {

struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
};

#if defined(__x86_64__)
constexpr GElf_Half this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr GElf_Half this_machine = EM_AARCH64;
#else
constexpr GElf_Half this_machine = EM_NONE;
#endif

void take_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& header, const std::vector<std::string>& names,
                  std::map<std::string, Address>& found) {
    Elf_Data* data = elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0)
        return;
    for (std::size_t i = 0; i < header.sh_size / header.sh_entsize; ++i) {
        GElf_Sym symbol{};
        if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF ||
            GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || GELF_ST_BIND(symbol.st_info) == STB_LOCAL)
            continue;
        const char* name = elf_strptr(elf, header.sh_link, symbol.st_name);
        if (name != nullptr && std::ranges::find(names, name) != names.end())
            found.emplace(name, symbol.st_value);
    }
}

// Where the segment that holds the file's first byte was linked to.
bool take_first_byte(Elf* elf, Address& first_byte) {
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return false;
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr segment{};
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_LOAD &&
            segment.p_offset == 0) {
            first_byte = segment.p_vaddr;
            return true;
        }
    }
    return false;
}

} // namespace

Result<BinarySymbols> read_symbols(const std::filesystem::path& file, const std::vector<std::string>& names) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot read the server's binary", errno);
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
    GElf_Ehdr header{};
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr ||
        header.e_machine != this_machine || header.e_ident[EI_CLASS] != ELFCLASS64)
        return fail("the server's binary is no ELF file of this machine");
    BinarySymbols symbols;
    if (!take_first_byte(elf.get(), symbols.first_byte))
        return fail("the server's binary has no segment that holds its first byte");
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
        GElf_Shdr table{};
        if (gelf_getshdr(section, &table) != nullptr && (table.sh_type == SHT_DYNSYM || table.sh_type == SHT_SYMTAB))
            take_symbols(elf.get(), section, table, names, symbols.addresses);
    }
    return symbols;
}

} // namespace snapscope::mirror
