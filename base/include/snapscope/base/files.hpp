// Whole files and private folders.  Used by everything that keeps something on
// disk or reads what another program left there (procfs included).
//
// Modes do not depend on the umask: files are 0600, folders 0700.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

namespace snapscope {

// Everything in the regular file PATH.  Fails when it is longer than
// `max_bytes`, or is no regular file (a fifo would hang the reader).
[[nodiscard]] Result<std::string> read_file(const std::filesystem::path& path, std::size_t max_bytes);

// All of `bytes` to `fd`, short writes and EINTR included; `path` is for the message.
[[nodiscard]] Status write_all(int fd, std::string_view bytes, const std::filesystem::path& path);

// Creates the file PATH (0600), write-only, close-on-exec; fails when it exists.
[[nodiscard]] Result<UniqueFd> create_private_file(const std::filesystem::path& path);

// Replaces PATH as a whole: at every moment, also after a crash, PATH holds
// either the old bytes or the new ones.  Temporary file in the same folder,
// fsync, rename, fsync of the folder; mode 0600.
[[nodiscard]] Status write_file_atomically(const std::filesystem::path& path, std::string_view bytes);

// Creates the folder PATH with mode 0700.  Its parent must exist, it must not.
[[nodiscard]] Status create_private_folder(const std::filesystem::path& path);

// Makes the names in the folder PATH survive a power cut.
[[nodiscard]] Status sync_folder(const std::filesystem::path& path);

} // namespace snapscope
