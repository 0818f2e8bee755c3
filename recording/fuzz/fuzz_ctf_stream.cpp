// libFuzzer: any bytes as a stream file of an event trace, read through a
// memory file.  Time must not go backwards, and reading must end.
#include "ctf_stream.hpp"

#include <cstdlib>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace snapscope;
    const UniqueFd file(::memfd_create("fuzz", MFD_CLOEXEC));
    if (!file || ::write(file.get(), data, size) != static_cast<ssize_t>(size))
        std::abort();
    // The seeds' trace has this id, and their slot is 1.
    const ctf::Uuid uuid{0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef,
                         0x01, 0x23, 0x45, 0x67, 0x89, 0xab, 0xcd, 0xef};
    ctf::StreamReader reader(fmt::format("/proc/self/fd/{}", file.get()), EventSource::ring, 1, uuid, 0);
    std::int64_t last_ns = 0;
    for (std::size_t events = 0;; ++events) {
        if (reader.advance() != ctf::StreamReader::Step::event)
            return 0;
        if (reader.event().time_ns < last_ns || events > size)
            std::abort();
        last_ns = reader.event().time_ns;
    }
}
