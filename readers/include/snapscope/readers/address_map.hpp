// From a data address to what lies there: array, entry, field and cache line.
// Used by the source `hitm`, and by `import` where a layout came with the file.
#pragma once

#include <snapscope/base/result.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace snapscope {

inline constexpr std::uint64_t cache_line_bytes = 64;

// Of one entry of an array.
struct PlacedField {
    std::uint32_t offset = 0, bytes = 0;
    std::string name;
};

struct PlacedArray {
    std::string name;
    std::uint64_t address = 0, stride_bytes = 0, entries = 0;
    std::vector<PlacedField> fields; // by offset; may leave holes
    bool by_slot = false;            // entry i belongs to slot i

    [[nodiscard]] std::uint64_t bytes() const { return stride_bytes * entries; }
};

struct Place {
    std::uint32_t array = 0; // index of AddressMap::arrays()
    std::uint64_t entry = 0;
    std::uint32_t offset = 0; // within the entry
};

class AddressMap {
  public:
    AddressMap() = default;
    // Arrays without a place, of no entries, or that reach over the end of the
    // address space are left out.
    explicit AddressMap(std::vector<PlacedArray> arrays);

    [[nodiscard]] std::optional<Place> find(std::uint64_t address) const;
    // Whether any byte of the line that holds ADDRESS lies in an array.
    [[nodiscard]] bool find_line(std::uint64_t address) const;
    [[nodiscard]] const std::vector<PlacedArray>& arrays() const { return arrays_; }
    [[nodiscard]] bool empty() const { return arrays_.empty(); }

    // "PGXACT[37].xmin"; "PGXACT[37]+8" where no field is known there; "ProcArrayLock" for an array of one.
    [[nodiscard]] std::string field_text(const Place& place) const;
    // Where the field at PLACE begins, so that all its bytes count as one.
    [[nodiscard]] Place field_begin(const Place& place) const;
    // Of the line that holds ADDRESS: "PGXACT[64-69] line 12"; its address where it lies in no array.
    [[nodiscard]] std::string line_text(std::uint64_t address) const;

  private:
    [[nodiscard]] const PlacedArray* array_of_line(std::uint64_t begin) const;

    std::vector<PlacedArray> arrays_; // by address
};

// The arrays of `snapscope layout --format json`, of those that state an
// address.  Class failed: not that, or none has one.
[[nodiscard]] Result<AddressMap> read_layout(std::string_view text, const std::string& label);

// The fields of a server's entries that are known by name ("PGXACT" of 13,
// "xids" and the like): empty for others.
[[nodiscard]] std::vector<PlacedField> known_fields(std::string_view array);

} // namespace snapscope
