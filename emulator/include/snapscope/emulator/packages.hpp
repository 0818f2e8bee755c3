// QEMU and a kernel, out of Debian's packages: fetched through apt, unpacked
// into the cache folder, not installed.
#pragma once

#include <snapscope/base/result.hpp>

#include <atomic>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::emulator {

// Hears what is being done, in words.
using Progress = std::function<void(std::string_view)>;

struct Packages {
    std::filesystem::path qemu;                   // qemu-system-x86_64
    std::vector<std::filesystem::path> libraries; // folders
    std::vector<std::filesystem::path> firmware;  // folders
    std::filesystem::path kernel;
    std::string versions; // "qemu-system-x86 1:7.2..., linux-image-6.1.0-57-amd64 6.1..."
};

// SNAPSCOPE_CACHE, else /var/cache/snapscope for root, else the user's own
// cache folder: where `./dev` keeps what it downloads and builds.
[[nodiscard]] std::filesystem::path cache_folder();

// What was unpacked before; class unavailable where nothing was.
[[nodiscard]] Result<Packages> find_packages(const std::filesystem::path& cache);

// The same, fetched first when it has to be.
[[nodiscard]] Result<Packages> provide_packages(const std::filesystem::path& cache, const Progress& progress,
                                                const std::atomic<bool>* stop);

} // namespace snapscope::emulator
