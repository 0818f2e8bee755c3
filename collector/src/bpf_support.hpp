// Small things that every BPF source needs.
#pragma once

#include <snapscope/base/result.hpp>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <span>
#include <string>
#include <vector>

namespace snapscope {

struct DestroyLink {
    void operator()(bpf_link* link) const { bpf_link__destroy(link); }
};

// libbpf says nothing on stderr by itself; errors come back as values.
void silence_libbpf();

// Why BPF did not work: the missing capability where that is it.
[[nodiscard]] Error bpf_error(const std::string& what, int error_number);

// Fails, with a hint, before anything is loaded.
[[nodiscard]] Status check_bpf_rights();

// Values of KEY of a per-CPU map, one a possible CPU; empty when it fails.
template <typename T> std::vector<T> read_per_cpu(int map, unsigned int key) {
    static_assert(sizeof(T) % 8 == 0, "the kernel rounds values up to 8 bytes");
    const int cpus = libbpf_num_possible_cpus();
    std::vector<T> values(cpus > 0 ? static_cast<std::size_t>(cpus) : 0);
    if (values.empty() || bpf_map_lookup_elem(map, &key, values.data()) != 0)
        values.clear();
    return values;
}

} // namespace snapscope
