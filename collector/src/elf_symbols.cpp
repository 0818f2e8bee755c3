#include "elf_symbols.hpp"

#include <snapscope/base/elf_walk.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <memory>

namespace snapscope {
namespace {

#if defined(__x86_64__)
constexpr GElf_Half this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr GElf_Half this_machine = EM_AARCH64;
#else
constexpr GElf_Half this_machine = EM_NONE;
#endif

constexpr std::size_t longest_instruction = 15;

std::vector<GElf_Phdr> load_segments(Elf* elf) {
    std::vector<GElf_Phdr> segments;
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return segments;
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr segment{};
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_LOAD)
            segments.push_back(segment);
    }
    return segments;
}

void place(Symbol& symbol, const std::vector<GElf_Phdr>& segments, int fd) {
    for (const auto& segment : segments) {
        if (symbol.value < segment.p_vaddr || symbol.value - segment.p_vaddr >= segment.p_filesz)
            continue;
        symbol.file_offset = symbol.value - segment.p_vaddr + segment.p_offset;
        symbol.first_bytes.resize(longest_instruction);
        const auto got =
            ::pread(fd, symbol.first_bytes.data(), longest_instruction, static_cast<off_t>(symbol.file_offset));
        symbol.first_bytes.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    }
}

bool starts_with(const std::vector<unsigned char>& bytes, std::initializer_list<unsigned char> prefix) {
    return bytes.size() >= prefix.size() && std::equal(prefix.begin(), prefix.end(), bytes.begin());
}

} // namespace

const char* to_string(FirstInstruction kind) {
    constexpr std::array<const char*, first_instructions> names{"push", "nop", "endbr64", "another instruction"};
    return names[static_cast<std::size_t>(kind)];
}

FirstInstruction classify_instruction(const std::vector<unsigned char>& bytes) {
    constexpr unsigned char push_mask = 0xf8;
    constexpr unsigned char push_opcode = 0x50;
    if (starts_with(bytes, {0xf3, 0x0f, 0x1e, 0xfa}))
        return FirstInstruction::endbr;
    if (starts_with(bytes, {0x90}) || starts_with(bytes, {0x66, 0x90}) || starts_with(bytes, {0x0f, 0x1f}) ||
        starts_with(bytes, {0x66, 0x0f, 0x1f}))
        return FirstInstruction::nop;
    // %rax to %rdi, and with the prefix %r8 to %r15
    const std::size_t opcode = starts_with(bytes, {0x41}) ? 1 : 0;
    if (bytes.size() > opcode && (bytes[opcode] & push_mask) == push_opcode)
        return FirstInstruction::push;
    return FirstInstruction::other;
}

const Symbol* ElfSymbols::find(std::string_view name) const {
    const auto at = symbols.find(name);
    return at == symbols.end() ? nullptr : &at->second;
}

Result<ElfSymbols> read_symbols(const std::string& file, const std::vector<std::string>& names) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot read the server's binary", errno, "run as the server's user or as root");
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
    GElf_Ehdr machine{};
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &machine) == nullptr ||
        machine.e_machine != this_machine || machine.e_ident[EI_CLASS] != ELFCLASS64)
        return fail("the server's binary is no ELF file of this machine");
    ElfSymbols found;
    const auto segments = load_segments(elf.get());
    const auto first = std::ranges::find(segments, 0U, &GElf_Phdr::p_offset);
    if (first == segments.end())
        return fail("the server's binary has no segment that holds its first byte");
    found.first_byte = first->p_vaddr;
    each_symbol(elf.get(), [&](const GElf_Sym& symbol, const char* name) {
        if (GELF_ST_BIND(symbol.st_info) != STB_LOCAL && std::ranges::find(names, name) != names.end())
            found.symbols[name].value = symbol.st_value;
    });
    for (auto& [name, symbol] : found.symbols)
        place(symbol, segments, fd.get());
    return found;
}

} // namespace snapscope
