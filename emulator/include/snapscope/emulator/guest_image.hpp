// What the guest boots: an archive with the server, its libraries and a filled
// cluster, made once a build and kept in the cache; and a small one a run.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/emulator/packages.hpp>
#include <snapscope/emulator/server_map.hpp>

#include <atomic>
#include <filesystem>
#include <string>

namespace snapscope::emulator {

inline constexpr const char* guest_data_folder = "/data";
inline constexpr const char* guest_script = "/snapscope/workload.sql";

// The archive of SERVER, made first when it is not there: initdb and pgbench -i
// on the host, as the servers' account.
[[nodiscard]] Result<std::filesystem::path> provide_image(const std::filesystem::path& cache, const ServerMap& server,
                                                          const Progress& progress, const std::atomic<bool>* stop);

// IMAGE and behind it what is of this run alone: the plan, and a pgbench script
// where SCRIPT is not empty.  Into the new file PATH.
[[nodiscard]] Status write_initrd(const std::filesystem::path& image, const std::string& plan,
                                  const std::string& script, const std::filesystem::path& path);

} // namespace snapscope::emulator
