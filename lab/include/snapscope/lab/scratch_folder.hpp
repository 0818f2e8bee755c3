// The temporary folder of one cluster, gone with its owner.
//
// An owner that is killed cannot remove it.  So each folder is held by a lock
// that the kernel drops with its owner, and remove_abandoned(), called before
// a new one is made, removes the folders that nobody holds.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <filesystem>

namespace snapscope {

class ScratchFolder {
  public:
    // TMPDIR/snapscope-lab-XXXXXX (default /tmp), mode 0711: other accounts may
    // pass through to what they are allowed inside, and list nothing.
    [[nodiscard]] static Result<ScratchFolder> create();

    ScratchFolder(ScratchFolder&& other) noexcept;
    ScratchFolder& operator=(ScratchFolder&& other) noexcept;
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;
    ~ScratchFolder() { remove(); }

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  private:
    ScratchFolder() = default;
    void remove() noexcept;

    std::filesystem::path path_;
    UniqueFd lock_;
};

// Removes this user's folders whose owners are gone, and ends a server that
// still runs in one.  Returns how many it removed.
std::size_t remove_abandoned();

} // namespace snapscope
