// The driver's end of the plug-in's stream: a fifo that is never waited for.
#pragma once

#include "../shared/stream.h"

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <cstddef>
#include <filesystem>
#include <span>
#include <vector>

namespace snapscope::emulator {

class StreamPipe {
  public:
    // Makes the fifo PATH; the plug-in opens its other end.
    [[nodiscard]] static Result<StreamPipe> create(const std::filesystem::path& path);

    // What is there, at most some thousand records; valid until the next call.
    [[nodiscard]] Result<std::span<const snapscope_stream_record>> read();

  private:
    explicit StreamPipe(UniqueFd fd);

    UniqueFd fd_;
    std::vector<snapscope_stream_record> buffer_;
    std::size_t bytes_ = 0, given_ = 0; // in the buffer; of them, returned by the last call
};

} // namespace snapscope::emulator
