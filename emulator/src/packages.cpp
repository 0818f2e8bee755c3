#include "run_program.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/base/unique_fd.hpp>
#include <snapscope/emulator/packages.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/file.h>
#include <unistd.h>

namespace snapscope::emulator {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto short_limit = 60s;
constexpr auto fetch_limit = 900s;
constexpr auto unpack_limit = 300s;
constexpr const char* emulator_package = "qemu-system-x86";
constexpr const char* kernel_package = "linux-image-amd64";
// Beside what the emulator needs and this machine lacks: its data, which may be installed here.
constexpr std::array own_packages{emulator_package, "qemu-system-data", "seabios"};
constexpr std::size_t versions_bytes = 4096;

// The folder of what is unpacked: qemu/ is a root, kernel/vmlinuz; versions is written last.
fs::path home_of(const fs::path& cache) {
    return cache / "emulator" / "packages";
}

// Folders below ROOT that hold shared libraries.
std::vector<fs::path> library_folders(const fs::path& root) {
    std::vector<fs::path> out;
    std::error_code error;
    for (auto it = fs::recursive_directory_iterator(root, error); !error && it != fs::recursive_directory_iterator();
         it.increment(error))
        if (it->path().filename().string().find(".so.") != std::string::npos)
            out.push_back(it->path().parent_path());
    std::ranges::sort(out);
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

Command apt(std::vector<std::string> words, const fs::path& folder = {}) {
    Command command;
    command.argv = std::move(words);
    command.folder = folder;
    return command;
}

// What apt would install for the emulator on this machine.
Result<std::vector<std::string>> wanted_packages(const std::atomic<bool>* stop) {
    const auto plan =
        run_program(apt({"apt-get", "--simulate", "--no-install-recommends", "install", emulator_package}), short_limit,
                    stop, fmt::format("apt does not know {}", emulator_package));
    if (!plan)
        return fail(Error{plan.error().error_class, plan.error().what, "run 'apt-get update' as root once"});
    std::vector<std::string> out(own_packages.begin(), own_packages.end());
    for (const std::string& line : split(*plan, '\n')) {
        const std::vector<std::string> words = split(line, ' ');
        if (words.size() > 1 && words[0] == "Inst" && std::ranges::find(out, words[1]) == out.end())
            out.push_back(words[1]);
    }
    const auto depends = run_program(apt({"apt-cache", "depends", kernel_package}), short_limit, stop,
                                     fmt::format("apt does not know {}", kernel_package));
    if (!depends)
        return fail(Error{depends.error().error_class, depends.error().what, "run 'apt-get update' as root once"});
    for (const std::string& line : split(*depends, '\n')) {
        const std::string name(trim(line));
        if (name.starts_with("Depends: linux-image-")) {
            out.push_back(name.substr(std::string_view("Depends: ").size()));
            return out;
        }
    }
    return fail(fmt::format("apt does not say which kernel {} is", kernel_package));
}

Status unpack_kernel(const fs::path& package, const fs::path& home, const fs::path& scratch,
                     const std::atomic<bool>* stop) {
    const fs::path tar = scratch / "kernel.tar";
    // The whole of it is large; its archive is unpacked in two steps, and only one file taken.
    Command archive = apt({"dpkg-deb", "--fsys-tarfile", package.string()});
    archive.output = Command::Output::file;
    archive.output_file = tar;
    const auto finished = run_to_end(std::move(archive), unpack_limit);
    if (!finished || finished->status != 0)
        return fail(fmt::format("cannot unpack {}", package.filename().string()));
    const auto taken = run_program(apt({"tar", "--extract", "--file", tar.string(), "--directory", scratch.string(),
                                        "--wildcards", "./boot/vmlinuz*"}),
                                   unpack_limit, stop, fmt::format("cannot unpack {}", package.filename().string()));
    if (!taken)
        return fail(taken.error());
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(scratch / "boot", error))
        if (entry.path().filename().string().starts_with("vmlinuz")) {
            fs::create_directories(home / "kernel", error);
            fs::rename(entry.path(), home / "kernel" / "vmlinuz", error);
        }
    fs::remove(tar, error);
    if (!fs::exists(home / "kernel" / "vmlinuz"))
        return fail(fmt::format("{} holds no kernel", package.filename().string()));
    return {};
}

Result<std::string> version_in(const fs::path& package, const std::atomic<bool>* stop) {
    const auto text =
        run_program(apt({"dpkg-deb", "--show", "--showformat", "${Package} ${Version}", package.string()}), short_limit,
                    stop, fmt::format("cannot read {}", package.filename().string()));
    if (!text)
        return fail(text.error());
    return std::string(trim(*text));
}

Result<std::string> unpack(const fs::path& scratch, const fs::path& home, const std::atomic<bool>* stop) {
    std::vector<std::string> versions;
    for (const auto& entry : fs::directory_iterator(scratch / "download")) {
        const fs::path& package = entry.path();
        const std::string name = package.filename().string();
        if (!name.ends_with(".deb"))
            continue;
        if (name.starts_with("linux-image")) {
            SNAPSCOPE_TRY(unpack_kernel(package, home, scratch, stop));
        } else if (const auto done =
                       run_program(apt({"dpkg-deb", "--extract", package.string(), (home / "qemu").string()}),
                                   unpack_limit, stop, fmt::format("cannot unpack {}", name));
                   !done) {
            return fail(done.error());
        }
        if (!name.starts_with("linux-image") && !name.starts_with(std::string(emulator_package) + "_"))
            continue;
        auto version = version_in(package, stop);
        if (!version)
            return version;
        versions.push_back(std::move(*version));
    }
    std::ranges::sort(versions, std::greater<>{});
    return fmt::format("{}", fmt::join(versions, ", "));
}

Status fetch(const fs::path& cache, const Progress& progress, const std::atomic<bool>* stop) {
    const fs::path home = home_of(cache);
    const fs::path scratch = cache / "emulator" / "fetching";
    std::error_code error;
    fs::remove_all(home, error);
    fs::remove_all(scratch, error);
    fs::create_directories(scratch / "download", error);
    if (!error)
        fs::create_directories(home, error);
    if (error)
        return fail(fmt::format("cannot make the folder {}: {}", home.string(), error.message()),
                    "name another one in SNAPSCOPE_CACHE");
    progress("asking apt which packages the emulator needs");
    auto packages = wanted_packages(stop);
    if (!packages)
        return fail(packages.error());
    progress(fmt::format("downloading {} packages (some 90 MB), once", packages->size()));
    std::vector<std::string> words{"apt-get", "--quiet", "-o", "APT::Sandbox::User=root", "download"};
    words.insert(words.end(), packages->begin(), packages->end());
    if (const auto done =
            run_program(apt(std::move(words), scratch / "download"), fetch_limit, stop, "apt could not fetch packages");
        !done)
        return fail(done.error());
    progress("unpacking them");
    const auto versions = unpack(scratch, home, stop);
    if (!versions)
        return fail(versions.error());
    fs::remove_all(scratch, error);
    return write_file_atomically(home / "versions", *versions);
}

} // namespace

fs::path cache_folder() {
    if (const char* named = std::getenv("SNAPSCOPE_CACHE"); named != nullptr && *named != '\0')
        return named;
    if (::geteuid() == 0)
        return "/var/cache/snapscope";
    if (const char* own = std::getenv("XDG_CACHE_HOME"); own != nullptr && *own != '\0')
        return fs::path(own) / "snapscope";
    const char* home = std::getenv("HOME");
    return fs::path(home != nullptr ? home : "/tmp") / ".cache" / "snapscope";
}

Result<Packages> find_packages(const fs::path& cache) {
    const fs::path home = home_of(cache);
    auto versions = read_file(home / "versions", versions_bytes);
    if (!versions)
        return fail(Error{ErrorClass::unavailable, "QEMU and a kernel are not unpacked yet",
                          "snapscope emulate fetches them through apt"});
    Packages out;
    out.qemu = home / "qemu" / "usr" / "bin" / "qemu-system-x86_64";
    out.libraries = library_folders(home / "qemu" / "usr");
    for (const auto& more : library_folders(home / "qemu" / "lib"))
        out.libraries.push_back(more);
    out.firmware = {home / "qemu" / "usr" / "share" / "seabios", home / "qemu" / "usr" / "share" / "qemu"};
    out.kernel = home / "kernel" / "vmlinuz";
    out.versions = trim(*versions);
    return out;
}

Result<Packages> provide_packages(const fs::path& cache, const Progress& progress, const std::atomic<bool>* stop) {
    if (auto found = find_packages(cache))
        return found;
    std::error_code error;
    fs::create_directories(cache / "emulator", error);
    const fs::path lock = cache / "emulator" / ".lock-packages";
    const UniqueFd held(::open(lock.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (!held)
        return fail_errno("cannot write " + lock.string(), errno, "name another folder in SNAPSCOPE_CACHE");
    while (::flock(held.get(), LOCK_EX | LOCK_NB) != 0) {
        if (stop != nullptr && stop->load())
            return interrupted();
        progress("waiting for another one who fetches the packages");
        ::usleep(500000);
    }
    if (auto found = find_packages(cache)) // somebody else fetched them meanwhile
        return found;
    SNAPSCOPE_TRY(fetch(cache, progress, stop));
    return find_packages(cache);
}

} // namespace snapscope::emulator
