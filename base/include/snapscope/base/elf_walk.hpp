// What every reader of ELF files does with libelf.  Who includes it links libelf.
#pragma once

#include <cstddef>
#include <gelf.h>

namespace snapscope {

struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
};

// Calls TAKE with each symbol that ELF defines and its name, which may be empty:
// of the dynamic symbol table, which a stripped file also has, and of the full
// one where there is any.
template <typename Take> void each_symbol(Elf* elf, Take take) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr table{};
        if (gelf_getshdr(section, &table) == nullptr || table.sh_entsize == 0 ||
            (table.sh_type != SHT_DYNSYM && table.sh_type != SHT_SYMTAB))
            continue;
        Elf_Data* data = elf_getdata(section, nullptr);
        if (data == nullptr)
            continue;
        for (std::size_t i = 0; i < table.sh_size / table.sh_entsize; ++i) {
            GElf_Sym symbol{};
            if (gelf_getsym(data, static_cast<int>(i), &symbol) == nullptr || symbol.st_shndx == SHN_UNDEF)
                continue;
            if (const char* name = elf_strptr(elf, table.sh_link, symbol.st_name); name != nullptr)
                take(symbol, name);
        }
    }
}

} // namespace snapscope
