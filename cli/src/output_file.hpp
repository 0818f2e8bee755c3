// A result file that appears whole or not at all.  Used by export, diff and
// whatever else takes -o FILE.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <filesystem>
#include <string>
#include <string_view>

namespace snapscope::cli {

// Writes go to a temporary file (0600) beside the target; commit() moves it
// into place.  Without `force` an existing file is refused, at creation and
// again at commit.  A target that is no regular file (a fifo, /dev/null) is
// written directly: there is nothing to replace.  "-" is standard output.
// Not committed: the temporary file is removed, also after a second Ctrl-C.
class OutputFile {
  public:
    [[nodiscard]] static Result<OutputFile> create(const std::filesystem::path& target, bool force);
    OutputFile(OutputFile&& other) noexcept;
    OutputFile& operator=(OutputFile&&) = delete;
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;
    ~OutputFile();

    // Buffered; an error names the target.
    [[nodiscard]] Status write(std::string_view bytes);
    [[nodiscard]] Status commit();

  private:
    OutputFile() = default;
    [[nodiscard]] Status flush();

    std::filesystem::path target_;
    std::string temporary_; // empty: written directly
    bool force_ = false;
    bool standard_output_ = false;
    UniqueFd fd_;
    std::string buffer_;
};

// The whole of `text` to `target`, as above; an empty target is stdout.
[[nodiscard]] Status write_result(const std::filesystem::path& target, bool force, std::string_view text);

} // namespace snapscope::cli
