// libFuzzer: any bytes as lscpu, numactl -H or hwloc's XML.
#include <snapscope/readers/topology.hpp>

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
    const auto topology = snapscope::read_topology({reinterpret_cast<const char*>(data), size}, "file");
    if (!topology)
        return 0;
    for (const auto& cpu : topology->cpus)
        if (topology->find(cpu.cpu) != &cpu)
            std::abort();
    return 0;
}
