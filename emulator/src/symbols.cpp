#include <snapscope/base/elf_walk.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/emulator/symbols.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>

namespace snapscope::emulator {
namespace {

std::optional<std::uint64_t> first_byte_of(Elf* elf) {
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0)
        return std::nullopt;
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr segment{};
        if (gelf_getphdr(elf, static_cast<int>(i), &segment) != nullptr && segment.p_type == PT_LOAD &&
            segment.p_offset == 0)
            return segment.p_vaddr;
    }
    return std::nullopt;
}

std::optional<std::uint64_t> find(const std::map<std::string, std::uint64_t, std::less<>>& in, std::string_view name) {
    const auto found = in.find(name);
    return found == in.end() ? std::nullopt : std::optional(found->second);
}

// The bytes of the file that are linked to [ADDRESS, ADDRESS + BYTES).
std::string bytes_at(Elf* elf, std::uint64_t address, std::uint64_t bytes) {
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf, section)) != nullptr;) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr || (header.sh_flags & SHF_EXECINSTR) == 0 ||
            address < header.sh_addr || address + bytes > header.sh_addr + header.sh_size)
            continue;
        if (const Elf_Data* data = elf_getdata(section, nullptr); data != nullptr && data->d_size == header.sh_size)
            return {static_cast<const char*>(data->d_buf) + (address - header.sh_addr), bytes};
    }
    return {};
}

} // namespace

Result<std::vector<std::uint64_t>> call_sites(const std::filesystem::path& file, const Symbols& symbols,
                                              const std::vector<std::string>& callers, const std::string& callee) {
    constexpr auto call = static_cast<char>(0xe8);
    constexpr auto jump = static_cast<char>(0xe9);
    constexpr std::size_t instruction_bytes = 5;
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot read " + file.string(), errno);
    const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
    const auto target = symbols.function(callee);
    std::vector<std::uint64_t> out;
    for (const std::string& caller : callers) {
        const auto from = symbols.function(caller);
        if (!elf || !target || !from)
            continue;
        const std::string code = bytes_at(elf.get(), *from, symbols.function_bytes(caller));
        for (std::size_t i = 0; i + instruction_bytes <= code.size(); ++i) {
            std::int32_t distance = 0;
            std::memcpy(&distance, code.data() + i + 1, sizeof distance);
            const std::uint64_t after = *from + i + instruction_bytes;
            if ((code[i] == call || code[i] == jump) &&
                after + static_cast<std::uint64_t>(std::int64_t{distance}) == *target)
                out.push_back(*from + i);
        }
    }
    return out;
}

Result<Symbols> Symbols::read(const std::filesystem::path& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot read " + file.string(), errno);
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
    GElf_Ehdr header{};
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF || gelf_getehdr(elf.get(), &header) == nullptr ||
        header.e_machine != EM_X86_64)
        return fail(fmt::format("{} is no program for x86-64", file.string()));
    const auto first = first_byte_of(elf.get());
    if (!first)
        return fail(fmt::format("{} has no segment that holds its first byte", file.string()));
    Symbols out;
    out.first_byte_ = *first;
    out.relocatable_ = header.e_type == ET_DYN;
    each_symbol(elf.get(), [&out](const GElf_Sym& symbol, const char* name) {
        if (*name == '\0')
            return;
        const auto type = GELF_ST_TYPE(symbol.st_info);
        if (type == STT_OBJECT)
            out.variables_.emplace(name, symbol.st_value);
        if (type != STT_FUNC && type != STT_GNU_IFUNC)
            return;
        out.functions_.emplace(name, symbol.st_value);
        out.by_address_.push_back({symbol.st_value, symbol.st_size, name});
    });
    std::ranges::stable_sort(out.by_address_, {}, &Function::address);
    return out;
}

std::optional<std::uint64_t> Symbols::variable(std::string_view name) const {
    return find(variables_, name);
}

std::optional<std::uint64_t> Symbols::function(std::string_view name) const {
    return find(functions_, name);
}

std::uint64_t Symbols::function_bytes(std::string_view name) const {
    const auto found = std::ranges::find(by_address_, name, &Function::name);
    return found == by_address_.end() ? 0 : found->bytes;
}

std::string Symbols::function_at(std::uint64_t address) const {
    auto after = std::ranges::upper_bound(by_address_, address, {}, &Function::address);
    if (after == by_address_.begin())
        return "";
    const Function& before = *std::prev(after);
    return address < before.address + before.bytes ? before.name : "";
}

} // namespace snapscope::emulator
