// Numbers as the page reads them: typed arrays in one block of bytes, base64 in
// a script element that is never run; small things refer to them in JSON.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>

namespace snapscope {

// RFC 4648, with padding.
[[nodiscard]] std::string base64(std::string_view bytes);

// JSON that may stand inside a script element: ASCII, and no '<', so that
// neither "</script" nor "<!--" can occur in it.
[[nodiscard]] std::string script_json(const nlohmann::json& json);

// Each array starts at a multiple of 8 bytes, little-endian.  What is absent is
// NaN: where a value may be absent the array is one of floating point.
class Pack {
  public:
    // {"type":"f32","at":BYTE,"count":N}
    [[nodiscard]] nlohmann::json f32(std::span<const float> values);
    [[nodiscard]] nlohmann::json f64(std::span<const double> values);
    [[nodiscard]] nlohmann::json u32(std::span<const std::uint32_t> values);
    [[nodiscard]] const std::string& bytes() const { return bytes_; }

  private:
    [[nodiscard]] nlohmann::json add(const char* type, const void* data, std::size_t count, std::size_t width);
    std::string bytes_;
};

} // namespace snapscope
