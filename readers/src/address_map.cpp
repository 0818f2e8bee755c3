#include <snapscope/base/text.hpp>
#include <snapscope/readers/address_map.hpp>

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace snapscope {
namespace {

const PlacedField* field_at(const PlacedArray& array, std::uint32_t offset) {
    for (const PlacedField& field : array.fields)
        if (offset >= field.offset && offset - field.offset < field.bytes)
            return &field;
    return nullptr;
}

bool has_place(const PlacedArray& array) {
    return array.address != 0 && array.stride_bytes != 0 && array.entries != 0 && array.stride_bytes <= UINT32_MAX &&
           array.entries <= UINT32_MAX && array.bytes() <= UINT64_MAX - array.address;
}

std::optional<std::uint64_t> number_of(const nlohmann::json& row, const char* name) {
    const auto at = row.find(name);
    return at != row.end() && at->is_number_unsigned() ? std::optional(at->get<std::uint64_t>()) : std::nullopt;
}

// "0x7f0012345680"; null where a layout was computed.
std::optional<std::uint64_t> address_of(const nlohmann::json& row) {
    const auto at = row.find("address");
    if (at == row.end() || !at->is_string())
        return std::nullopt;
    const auto& text = at->get_ref<const std::string&>();
    return text.starts_with("0x") ? parse_integer<std::uint64_t>(std::string_view(text).substr(2), 16) : std::nullopt;
}

} // namespace

AddressMap::AddressMap(std::vector<PlacedArray> arrays) : arrays_(std::move(arrays)) {
    std::erase_if(arrays_, [](const PlacedArray& array) { return !has_place(array); });
    std::ranges::stable_sort(arrays_, {}, &PlacedArray::address);
}

std::optional<Place> AddressMap::find(std::uint64_t address) const {
    const auto after = std::ranges::upper_bound(arrays_, address, {}, &PlacedArray::address);
    if (after == arrays_.begin())
        return std::nullopt;
    const auto array = after - 1;
    const std::uint64_t offset = address - array->address;
    if (offset >= array->bytes())
        return std::nullopt;
    return Place{static_cast<std::uint32_t>(array - arrays_.begin()), offset / array->stride_bytes,
                 static_cast<std::uint32_t>(offset % array->stride_bytes)};
}

Place AddressMap::field_begin(const Place& place) const {
    const PlacedField* field = field_at(arrays_[place.array], place.offset);
    return field == nullptr ? place : Place{place.array, place.entry, field->offset};
}

std::string AddressMap::field_text(const Place& place) const {
    const PlacedArray& array = arrays_[place.array];
    const PlacedField* field = field_at(array, place.offset);
    std::string out = array.name;
    if (array.entries > 1)
        out += fmt::format("[{}]", place.entry);
    if (field != nullptr)
        return out + "." + field->name;
    return place.offset == 0 && array.entries > 1 && array.stride_bytes <= sizeof(std::uint64_t)
               ? out
               : out + fmt::format("+{}", place.offset);
}

const PlacedArray* AddressMap::array_of_line(std::uint64_t begin) const {
    for (const PlacedArray& array : arrays_)
        if (array.address < begin + cache_line_bytes && begin < array.address + array.bytes())
            return &array;
    return nullptr;
}

bool AddressMap::find_line(std::uint64_t address) const {
    return array_of_line(address / cache_line_bytes * cache_line_bytes) != nullptr;
}

std::string AddressMap::line_text(std::uint64_t address) const {
    const std::uint64_t begin = address / cache_line_bytes * cache_line_bytes;
    if (const PlacedArray* const found = array_of_line(begin)) {
        const PlacedArray& array = *found;
        const std::uint64_t end = array.address + array.bytes();
        const std::uint64_t first = (std::max(begin, array.address) - array.address) / array.stride_bytes;
        const std::uint64_t last = (std::min(begin + cache_line_bytes, end) - 1 - array.address) / array.stride_bytes;
        const std::uint64_t line = begin / cache_line_bytes - array.address / cache_line_bytes;
        std::string entries;
        if (array.entries > 1)
            entries = first == last ? fmt::format("[{}]", first) : fmt::format("[{}-{}]", first, last);
        return fmt::format("{}{} line {}", array.name, entries, line);
    }
    return fmt::format("{:#x}", begin);
}

Result<AddressMap> read_layout(std::string_view text, const std::string& label) {
    const auto json = nlohmann::json::parse(text, nullptr, false);
    const auto wrong = [&](const std::string& what) {
        return fail(label + ": " + what, "give what `snapscope layout --format json` printed on that machine");
    };
    if (!json.is_object() || !json.contains("arrays") || !json["arrays"].is_array())
        return wrong("it is no layout");
    std::vector<PlacedArray> arrays;
    for (const auto& row : json["arrays"]) {
        if (!row.is_object() || !row.contains("name") || !row["name"].is_string())
            return wrong("an array has no name");
        PlacedArray array;
        array.name = row["name"].get<std::string>();
        const auto stride = number_of(row, "stride_bytes");
        const auto entries = number_of(row, "entries");
        if (!stride || !entries)
            return wrong("the array " + array.name + " has no stride or no entries");
        array.address = address_of(row).value_or(0);
        array.stride_bytes = *stride;
        array.entries = *entries;
        array.fields = known_fields(array.name);
        array.by_slot = array.name == "PGXACT" || array.name == "PGPROC";
        arrays.push_back(std::move(array));
    }
    AddressMap map(std::move(arrays));
    if (map.empty())
        return wrong("no array states where it lies (a layout that was computed, not read from a server?)");
    return map;
}

std::vector<PlacedField> known_fields(std::string_view array) {
    if (array == "PGXACT") // 13 and older, struct PGXACT
        return {{0, 4, "xid"}, {4, 4, "xmin"}, {8, 1, "vacuumFlags"}, {9, 1, "overflowed"}, {10, 1, "nxids"}};
    if (array == "ProcArrayLock") // struct LWLock
        return {{0, 2, "tranche"}, {4, 4, "state"}, {8, 8, "waiters"}};
    return {};
}

} // namespace snapscope
