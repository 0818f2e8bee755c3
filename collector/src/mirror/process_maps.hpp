// The address space of a process as procfs lists it (maps): where its binary
// was loaded, and which mapping is the server's shared memory.  Pure.
#pragma once

#include "memory.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope::mirror {

struct Mapped {
    Address start = 0, end = 0;
    std::string rights; // "rw-s"
    std::uint64_t offset = 0;
    std::uint32_t device_major = 0, device_minor = 0;
    std::uint64_t inode = 0;
    std::string name; // as the kernel prints it; empty: anonymous

    [[nodiscard]] std::uint64_t bytes() const { return end - start; }
    [[nodiscard]] bool holds(Address address, std::uint64_t size = 1) const {
        return address >= start && address < end && size <= end - address;
    }
    friend bool operator==(const Mapped&, const Mapped&) = default;
};

// Every line must be a whole mapping, in rising order.
[[nodiscard]] Result<std::vector<Mapped>> parse_maps(std::string_view text);

// What a file is known by; NAME is what the exe link says.
struct FileIdentity {
    std::uint32_t device_major = 0, device_minor = 0;
    std::uint64_t inode = 0;
    std::string name;
};

// The mapping of FILE's first byte.  On layered file systems a mapping may show
// the device of a lower layer: then the name must do.
[[nodiscard]] std::optional<Mapped> mapping_of(const std::vector<Mapped>& maps, const FileIdentity& file);

[[nodiscard]] std::optional<Mapped> mapping_at(const std::vector<Mapped>& maps, Address address);

enum class PageKind { ordinary, sysv, huge };

// Of a shared mapping that no file backs; nullopt: it is none such.
[[nodiscard]] std::optional<PageKind> page_kind(const Mapped& mapping);
[[nodiscard]] const char* to_string(PageKind kind);

} // namespace snapscope::mirror
