// libFuzzer: any bytes as the metadata of an event trace.  What is read must be
// written and read again as the same.
#include "ctf_metadata.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    using namespace snapscope;
    const auto info = ctf::read_metadata({reinterpret_cast<const char*>(data), size});
    if (!info)
        return 0;
    const std::string text = ctf::write_metadata(*info);
    const auto again = ctf::read_metadata(text);
    if (!again || ctf::write_metadata(*again) != text)
        std::abort();
    return 0;
}
