#include <snapscope/base/files.hpp>
#include <snapscope/emulator/cpio.hpp>

#include <fmt/format.h>
#include <sys/stat.h>

namespace snapscope::emulator {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t max_file_bytes = std::size_t{1} << 30U;
constexpr std::size_t aligned_to = 4;
constexpr std::uint32_t mode_bits = 07777;

std::string padding(std::size_t bytes) {
    return std::string((aligned_to - bytes % aligned_to) % aligned_to, '\0');
}

std::uint32_t mode_of(fs::perms permissions) {
    return static_cast<std::uint32_t>(permissions) & mode_bits;
}

} // namespace

Result<CpioWriter> CpioWriter::create(const fs::path& path) {
    auto file = create_private_file(path);
    if (!file)
        return fail(file.error());
    return CpioWriter(std::move(*file), path);
}

Status CpioWriter::write(std::string_view bytes) {
    return write_all(file_.get(), bytes, path_);
}

// newc: a header of hexadecimal words, the name, the bytes, each padded to four.
Status CpioWriter::put(const std::string& path, const Entry& entry, std::string_view bytes) {
    const std::string name = path.starts_with('/') ? path.substr(1) : path;
    ++inode_;
    const std::string head =
        fmt::format("070701{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}{:08x}", inode_,
                    entry.mode, entry.owner.uid, entry.owner.gid, 1, 0, bytes.size(), 0, 0, entry.device_major,
                    entry.device_minor, name.size() + 1, 0) +
        name + '\0';
    SNAPSCOPE_TRY(write(head + padding(head.size())));
    SNAPSCOPE_TRY(write(bytes));
    return write(padding(bytes.size()));
}

Status CpioWriter::add_folder(const std::string& path, std::uint32_t mode, Owner owner) {
    const fs::path parent = fs::path(path).parent_path();
    if (parent != path && !parent.empty() && !there_.contains(parent.string()) && parent != "/")
        SNAPSCOPE_TRY(add_folder(parent.string(), 0755));
    if (!there_.insert(path).second)
        return {};
    return put(path, {S_IFDIR | mode, owner}, {});
}

Status CpioWriter::add_file(const std::string& path, std::string_view bytes, std::uint32_t mode, Owner owner) {
    SNAPSCOPE_TRY(add_folder(fs::path(path).parent_path().string(), 0755));
    if (!there_.insert(path).second)
        return {};
    return put(path, {S_IFREG | mode, owner}, bytes);
}

Status CpioWriter::add_link(const std::string& path, const std::string& target) {
    SNAPSCOPE_TRY(add_folder(fs::path(path).parent_path().string(), 0755));
    if (!there_.insert(path).second)
        return {};
    return put(path, {S_IFLNK | 0777U, {}}, target);
}

Status CpioWriter::add_character_device(const std::string& path, std::uint32_t major, std::uint32_t minor) {
    SNAPSCOPE_TRY(add_folder(fs::path(path).parent_path().string(), 0755));
    if (!there_.insert(path).second)
        return {};
    return put(path, {S_IFCHR | 0600U, {}, major, minor}, {});
}

Status CpioWriter::copy_file(const fs::path& from, const std::string& to, Owner owner) {
    std::error_code error;
    const fs::path real = fs::canonical(from, error);
    if (error)
        return fail(fmt::format("cannot read {}: {}", from.string(), error.message()));
    const auto bytes = read_file(real, max_file_bytes);
    if (!bytes)
        return fail(bytes.error());
    return add_file(to, *bytes, mode_of(fs::status(real, error).permissions()), owner);
}

Status CpioWriter::copy_tree(const fs::path& from, const std::string& to, Owner owner) {
    std::error_code error;
    SNAPSCOPE_TRY(add_folder(to, mode_of(fs::status(from, error).permissions()), owner));
    for (auto it = fs::directory_iterator(from, error); !error && it != fs::directory_iterator(); it.increment(error)) {
        const std::string path = to + "/" + it->path().filename().string();
        const fs::file_status status = it->symlink_status(error);
        if (error)
            break;
        if (fs::is_symlink(status))
            SNAPSCOPE_TRY(add_link(path, fs::read_symlink(it->path(), error).string()));
        else if (fs::is_directory(status))
            SNAPSCOPE_TRY(copy_tree(it->path(), path, owner));
        else if (fs::is_regular_file(status))
            SNAPSCOPE_TRY(copy_file(it->path(), path, owner));
    }
    if (error)
        return fail(fmt::format("cannot read the folder {}: {}", from.string(), error.message()));
    return {};
}

Status CpioWriter::finish() {
    inode_ = 0;
    return put("TRAILER!!!", {}, {});
}

} // namespace snapscope::emulator
