#include "parts.hpp"
#include "run_program.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/emulator/cpio.hpp>
#include <snapscope/emulator/guest_image.hpp>
#include <snapscope/lab/cluster.hpp>

#include <fmt/format.h>
#include <functional>
#include <unistd.h>

namespace snapscope::emulator {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto fill_limit = 300s;
constexpr auto short_limit = 60s;
constexpr Owner server_owner{1000, 1000};
constexpr const char* accounts = "root:x:0:0::/:/bin/false\npostgres:x:1000:1000::/tmp:/bin/false\n";
constexpr std::size_t max_image_bytes = std::size_t{2} << 30U;
constexpr int image_version = 1; // of what this file puts into one

// Changes with the build, and with the guest's program.
std::string key_of(const ServerMap& server) {
    std::error_code error;
    const std::string text =
        fmt::format("{} {} {} {} {}", image_version, server.binary.string(), fs::file_size(server.binary, error),
                    fs::last_write_time(server.binary, error).time_since_epoch().count(),
                    std::hash<std::string_view>{}(guest_program_bytes()));
    return fmt::format("{:016x}", std::hash<std::string>{}(text));
}

// The files that `ldd` says a program is loaded with.
Result<std::vector<std::string>> libraries_of(const fs::path& program) {
    Command command;
    command.argv = {"ldd", program.string()};
    const auto text = run_program(std::move(command), short_limit, nullptr, "cannot list what a program needs");
    if (!text)
        return fail(text.error());
    std::vector<std::string> out;
    for (const std::string& line : split(*text, '\n')) {
        const std::size_t from = line.find('/');
        const std::size_t to = line.find(" (", from == std::string::npos ? 0 : from);
        if (from != std::string::npos && to != std::string::npos)
            out.push_back(line.substr(from, to - from));
        else if (line.find("not found") != std::string::npos)
            return fail(fmt::format("{} lacks the library {}", program.string(), trim(line)));
    }
    return out;
}

// Without debug information: the guest's memory holds it all.
Status add_program(CpioWriter& archive, const fs::path& program, const fs::path& scratch) {
    const fs::path bare = scratch / program.filename();
    Command command;
    command.argv = {"strip", "-o", bare.string(), program.string()};
    if (const auto done = run_program(std::move(command), short_limit, nullptr, "cannot strip " + program.string());
        !done)
        return fail(done.error());
    SNAPSCOPE_TRY(archive.copy_file(bare, program.string()));
    const auto libraries = libraries_of(program);
    if (!libraries)
        return fail(libraries.error());
    for (const std::string& library : *libraries)
        SNAPSCOPE_TRY(archive.copy_file(library, library));
    return {};
}

Status add_system(CpioWriter& archive) {
    for (const char* folder : {"/dev", "/proc", "/sys"})
        SNAPSCOPE_TRY(archive.add_folder(folder, 0755));
    SNAPSCOPE_TRY(archive.add_folder("/tmp", 01777));
    SNAPSCOPE_TRY(archive.add_character_device("/dev/console", 5, 1));
    SNAPSCOPE_TRY(archive.add_file("/etc/passwd", accounts, 0644));
    return archive.add_file("/init", guest_program_bytes(), 0755);
}

Status add_server(CpioWriter& archive, const ServerMap& server, const fs::path& data, const fs::path& scratch) {
    SNAPSCOPE_TRY(add_program(archive, server.binary, scratch));
    SNAPSCOPE_TRY(add_program(archive, server.pgbench, scratch));
    SNAPSCOPE_TRY(archive.add_folder(server.library.string(), 0755));
    for (const char* part : {"timezone", "timezonesets"})
        if (fs::exists(server.share / part))
            SNAPSCOPE_TRY(archive.copy_tree(server.share / part, (server.share / part).string()));
    return archive.copy_tree(data, guest_data_folder, server_owner);
}

Status fill(const Cluster& cluster, const ServerMap& server, const std::atomic<bool>* stop) {
    Command command;
    command.argv = {server.pgbench.string(), "-i", "-q", "-s", "1"};
    command.environment = cluster.environment();
    const auto done = run_program(std::move(command), fill_limit, stop, "pgbench could not fill the cluster");
    return done ? Status{} : fail(done.error());
}

Status make_image(const fs::path& path, const ServerMap& server, const Progress& progress,
                  const std::atomic<bool>* stop) {
    progress("making a cluster for the guest (initdb, pgbench -i)");
    ClusterOptions options;
    options.prefix = server.prefix;
    auto cluster = Cluster::start(options);
    if (!cluster)
        return fail(cluster.error());
    SNAPSCOPE_TRY(fill(*cluster, server, stop));
    cluster->stop();
    progress("packing it");
    auto scratch = ScratchFolder::create();
    if (!scratch)
        return fail(scratch.error());
    const fs::path unfinished = path.string() + fmt::format(".{}", ::getpid());
    std::error_code error;
    fs::remove(unfinished, error);
    const Status written = [&]() -> Status {
        auto archive = CpioWriter::create(unfinished);
        if (!archive)
            return fail(archive.error());
        SNAPSCOPE_TRY(add_system(*archive));
        SNAPSCOPE_TRY(add_server(*archive, server, cluster->data_folder(), scratch->path()));
        return archive->finish();
    }();
    if (!written) {
        fs::remove(unfinished, error);
        return written;
    }
    fs::rename(unfinished, path, error);
    return error ? Status(fail(fmt::format("cannot write {}: {}", path.string(), error.message()))) : Status{};
}

} // namespace

Result<fs::path> provide_image(const fs::path& cache, const ServerMap& server, const Progress& progress,
                               const std::atomic<bool>* stop) {
    const fs::path folder = cache / "emulator" / "images";
    fs::path path = folder / (key_of(server) + ".cpio");
    if (fs::exists(path))
        return path;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
        return fail(fmt::format("cannot make the folder {}: {}", folder.string(), error.message()),
                    "name another one in SNAPSCOPE_CACHE");
    SNAPSCOPE_TRY(make_image(path, server, progress, stop));
    return path;
}

Status write_initrd(const fs::path& image, const std::string& plan, const std::string& script, const fs::path& path) {
    const fs::path own = path.string() + ".run";
    auto archive = CpioWriter::create(own);
    if (!archive)
        return fail(archive.error());
    SNAPSCOPE_TRY(archive->add_file("/snapscope/run", plan, 0644));
    if (!script.empty())
        SNAPSCOPE_TRY(archive->add_file(guest_script, script, 0644));
    SNAPSCOPE_TRY(archive->finish());
    auto out = create_private_file(path);
    if (!out)
        return fail(out.error());
    for (const fs::path& part : {image, own}) {
        const auto bytes = read_file(part, max_image_bytes);
        if (!bytes)
            return fail(bytes.error());
        SNAPSCOPE_TRY(write_all(out->get(), *bytes, path));
    }
    std::error_code error;
    fs::remove(own, error);
    return {};
}

} // namespace snapscope::emulator
