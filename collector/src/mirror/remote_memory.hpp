// Memory of a process, by process_vm_readv: nothing is mapped, attached or
// held, the process executes nothing.
#pragma once

#include "memory.hpp"

#include <sys/types.h>

namespace snapscope::mirror {

class RemoteMemory final : public Memory {
  public:
    explicit RemoteMemory(pid_t pid) : pid_(pid) {}

    // A short read is an error, too.  Class unavailable without the right to read.
    [[nodiscard]] Status read(std::span<const Piece> pieces) const override;

  private:
    pid_t pid_;
};

} // namespace snapscope::mirror
