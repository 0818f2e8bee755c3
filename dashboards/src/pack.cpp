#include "pack.hpp"

#include <bit>
#include <nlohmann/json.hpp>

namespace snapscope {

static_assert(std::endian::native == std::endian::little, "arrays are packed as they lie in memory");

std::string base64(std::string_view bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    out.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t at = 0; at < bytes.size(); at += 3) {
        const std::size_t here = std::min<std::size_t>(3, bytes.size() - at);
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i)
            group = group << 8U | (i < here ? static_cast<unsigned char>(bytes[at + i]) : 0U);
        for (std::size_t i = 0; i < 4; ++i)
            out += i <= here ? digits[group >> (18 - 6 * i) & 0x3FU] : '=';
    }
    return out;
}

std::string script_json(const nlohmann::json& json) {
    std::string out;
    // '<' occurs inside strings alone, where its escape means the same.
    for (const char c : json.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace)) {
        if (c == '<')
            out += "\\u003c";
        else
            out += c;
    }
    return out;
}

nlohmann::json Pack::add(const char* type, const void* data, std::size_t count, std::size_t width) {
    bytes_.resize((bytes_.size() + 7) / 8 * 8);
    const std::size_t at = bytes_.size();
    bytes_.append(static_cast<const char*>(data), count * width);
    return {{"type", type}, {"at", at}, {"count", count}};
}

nlohmann::json Pack::f32(std::span<const float> values) {
    return add("f32", values.data(), values.size(), sizeof(float));
}

nlohmann::json Pack::f64(std::span<const double> values) {
    return add("f64", values.data(), values.size(), sizeof(double));
}

nlohmann::json Pack::u32(std::span<const std::uint32_t> values) {
    return add("u32", values.data(), values.size(), sizeof(std::uint32_t));
}

} // namespace snapscope
