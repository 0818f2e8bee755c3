// An initramfs archive (cpio, format newc) with owners and modes of its own, so
// that nobody needs to be root to make one.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>

namespace snapscope::emulator {

struct Owner {
    std::uint32_t uid = 0, gid = 0;
};

class CpioWriter {
  public:
    // Writes to the new file PATH (0600).
    [[nodiscard]] static Result<CpioWriter> create(const std::filesystem::path& path);

    // PATH is absolute, as the guest sees it; folders above it are made (root's,
    // 0755).  A path that was added before is left as it was.
    [[nodiscard]] Status add_folder(const std::string& path, std::uint32_t mode, Owner owner = {});
    [[nodiscard]] Status add_file(const std::string& path, std::string_view bytes, std::uint32_t mode,
                                  Owner owner = {});
    [[nodiscard]] Status add_link(const std::string& path, const std::string& target);
    [[nodiscard]] Status add_character_device(const std::string& path, std::uint32_t major, std::uint32_t minor);

    // The host's file (links followed), with its mode.
    [[nodiscard]] Status copy_file(const std::filesystem::path& from, const std::string& to, Owner owner = {});
    // All that is in the host's folder, with modes; links stay links.
    [[nodiscard]] Status copy_tree(const std::filesystem::path& from, const std::string& to, Owner owner = {});

    // Nothing may be added afterwards.
    [[nodiscard]] Status finish();

  private:
    struct Entry {
        std::uint32_t mode = 0;
        Owner owner;
        std::uint32_t device_major = 0, device_minor = 0;
    };
    CpioWriter(UniqueFd file, std::filesystem::path path) : file_(std::move(file)), path_(std::move(path)) {}
    Status put(const std::string& path, const Entry& entry, std::string_view bytes);
    Status write(std::string_view bytes);

    UniqueFd file_;
    std::filesystem::path path_;
    std::set<std::string> there_;
    std::uint32_t inode_ = 0;
};

} // namespace snapscope::emulator
