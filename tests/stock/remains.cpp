#include "remains.hpp"

#include <snapscope/base/elf_walk.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/collector/procfs.hpp>

#include <array>
#include <cstdint>
#include <cstring>
#include <elf_symbols.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <memory>
#include <mirror/process_maps.hpp>
#include <mirror/remote_memory.hpp>
#include <unistd.h>
#include <vector>
#include <word_watch.hpp>

namespace snapscope::test {
namespace {

constexpr std::size_t most_maps = std::size_t{64} << 20U;

// Where the semaphores lie, as linked; no bytes where the file has none.
struct Section {
    std::uint64_t address = 0, bytes = 0;
};
Section semaphores_in(int fd) {
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd, ELF_C_READ, nullptr));
    std::size_t names = 0;
    if (!elf || elf_getshdrstrndx(elf.get(), &names) != 0)
        return {};
    for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
        GElf_Shdr header{};
        if (gelf_getshdr(section, &header) == nullptr)
            continue;
        const char* name = elf_strptr(elf.get(), names, header.sh_name);
        if (name != nullptr && std::strcmp(name, ".probes") == 0)
            return {header.sh_addr, header.sh_size};
    }
    return {};
}

Status read_all(pid_t pid, std::uint64_t from, std::span<std::byte> to) {
    const mirror::Piece piece{from, to};
    return mirror::RemoteMemory(pid).read(std::span(&piece, 1));
}

std::size_t differences(const std::vector<unsigned char>& one, const std::vector<unsigned char>& other) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < one.size(); ++i)
        count += one[i] != other[i] ? 1U : 0U;
    return count;
}

Result<std::size_t> altered(pid_t pid, int fd, const mirror::Mapped& code) {
    std::vector<unsigned char> here(code.bytes());
    std::vector<unsigned char> there(code.bytes());
    const auto got = ::pread(fd, there.data(), there.size(), static_cast<off_t>(code.offset));
    if (got < 0)
        return fail_errno("cannot read the binary", errno);
    here.resize(static_cast<std::size_t>(got)); // the last page of a mapping may lie behind the file's end
    there.resize(here.size());
    SNAPSCOPE_TRY(read_all(pid, code.start, std::as_writable_bytes(std::span(here))));
    return differences(here, there);
}

} // namespace

Result<Remains> remains_in(pid_t pid) {
    const std::string exe = fmt::format("/proc/{}/exe", pid);
    const UniqueFd fd(::open(exe.c_str(), O_RDONLY | O_CLOEXEC));
    std::array<char, 4096> link{};
    const auto length = ::readlink(exe.c_str(), link.data(), link.size());
    const auto text = read_text(fmt::format("/proc/{}/maps", pid), most_maps);
    if (!fd || length < 0 || !text)
        return fail(fmt::format("process {} has ended", pid));
    const std::string_view name(link.data(), static_cast<std::size_t>(length));
    const auto symbols = read_symbols(exe, {});
    if (!symbols)
        return fail(symbols.error());
    const auto maps = mirror::parse_maps(*text);
    if (!maps)
        return fail(maps.error());
    Remains remains;
    std::uint64_t base = 0;
    for (const auto& mapped : *maps) {
        if (mapped.name != name)
            continue;
        if (mapped.offset == 0)
            base = mapped.start - symbols->first_byte;
        if (mapped.rights.find('x') == std::string::npos)
            continue;
        const auto count = altered(pid, fd.get(), mapped);
        if (!count)
            return fail(count.error());
        remains.altered_bytes += *count;
    }
    if (base == 0)
        return fail(fmt::format("process {} does not map its executable", pid));
    const auto section = semaphores_in(fd.get());
    std::vector<std::uint16_t> words(section.bytes / sizeof(std::uint16_t));
    if (!words.empty())
        SNAPSCOPE_TRY(read_all(pid, base + section.address, std::as_writable_bytes(std::span(words))));
    for (const auto word : words)
        remains.raised += word;
    return remains;
}

Status debug_registers_are_free() {
    static volatile std::uint64_t words[2] = {}; // nobody's
    const auto one = WordWatch::on_every_cpu(reinterpret_cast<std::uint64_t>(&words[0]), 1);
    const auto other = WordWatch::on_every_cpu(reinterpret_cast<std::uint64_t>(&words[1]), 1);
    if (!one)
        return fail(one.error());
    return other ? Status() : fail(other.error());
}

} // namespace snapscope::test
