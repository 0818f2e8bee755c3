// libFuzzer: any bytes as what `snapscope layout` prints.  Every byte of an
// array that was read must be found in it.
#include <snapscope/readers/address_map.hpp>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const auto map = snapscope::read_layout({reinterpret_cast<const char*>(data), size}, "file");
    if (!map)
        return 0;
    for (const auto& array : map->arrays())
        for (const std::uint64_t address : {array.address, array.address + array.bytes() - 1}) {
            const auto place = map->find(address);
            if (place && map->field_text(*place).empty())
                std::abort();
            if (!map->find_line(address) || map->line_text(address).empty())
                std::abort();
        }
    return 0;
}
