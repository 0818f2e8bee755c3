#include "function_names.hpp"

#include <snapscope/base/elf_walk.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <memory>

namespace snapscope {
namespace {

constexpr std::uint64_t kernel_begin = 0x8000'0000'0000'0000; // the upper half
constexpr std::size_t most_map_bytes = std::size_t{16} << 20;

} // namespace

Result<std::vector<FunctionSymbol>> read_functions(const std::string& file) {
    const UniqueFd fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
    if (!fd)
        return fail_errno("cannot read " + file, errno);
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd.get(), ELF_C_READ, nullptr));
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF)
        return fail(file + " is no ELF file");
    std::vector<FunctionSymbol> out;
    each_symbol(elf.get(), [&out](const GElf_Sym& symbol, const char* name) {
        if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_size != 0)
            out.push_back({symbol.st_value, symbol.st_size, name});
    });
    std::ranges::stable_sort(out, {}, &FunctionSymbol::begin);
    return out;
}

FunctionNames::FunctionNames(std::vector<mirror::Mapped> maps, std::string exe, std::vector<FunctionSymbol> functions,
                             std::uint64_t load_bias)
    : maps_(std::move(maps)), exe_(std::move(exe)), functions_(std::move(functions)), load_bias_(load_bias) {}

FunctionNames FunctionNames::of_server(const ProcFs& proc, pid_t postmaster) {
    const auto text = read_text(proc.path(postmaster, "maps"), most_map_bytes);
    auto maps = text ? mirror::parse_maps(*text) : Result<std::vector<mirror::Mapped>>(fail("not readable"));
    const auto exe = proc.link(postmaster, "exe");
    if (!maps || !exe)
        return {};
    const auto file = proc.path(postmaster, "exe").string();
    auto functions = read_functions(file);
    const auto start =
        std::ranges::find_if(*maps, [&](const mirror::Mapped& map) { return map.name == *exe && map.offset == 0; });
    // A position-independent program is linked from 0 on, another one where it is mapped.
    std::uint64_t bias = start == maps->end() ? 0 : start->start;
    if (functions && !functions->empty() && functions->front().begin >= bias)
        bias = 0;
    return {std::move(*maps), *exe, functions ? std::move(*functions) : std::vector<FunctionSymbol>{}, bias};
}

std::string FunctionNames::of(std::uint64_t ip) const {
    if (ip >= kernel_begin)
        return "[kernel]";
    const auto map = mirror::mapping_at(maps_, ip);
    if (!map || map->name.empty())
        return "?";
    if (map->name != exe_)
        return std::filesystem::path(map->name).filename().string();
    const std::uint64_t linked = ip - load_bias_;
    const auto after = std::ranges::upper_bound(functions_, linked, {}, &FunctionSymbol::begin);
    for (auto at = after; at != functions_.begin();) {
        --at;
        if (linked - at->begin < at->bytes)
            return at->name;
        if (linked - at->begin > (1U << 20U)) // no function is that long
            break;
    }
    return std::filesystem::path(exe_).filename().string();
}

} // namespace snapscope
