#include "startup.hpp"

#include <snapscope/base/text.hpp>

#include <cstdint>
#include <fmt/format.h>

namespace snapscope::startup {
namespace {

constexpr std::uint32_t protocol_3_0 = 3U << 16U;
constexpr std::size_t max_message_bytes = 1U << 20U;
constexpr std::size_t header_bytes = 5; // type, length (which counts itself)

std::string big_endian(std::uint32_t value) {
    return {static_cast<char>(value >> 24U), static_cast<char>(value >> 16U), static_cast<char>(value >> 8U),
            static_cast<char>(value)};
}

std::uint32_t read_big_endian(std::string_view bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8U | static_cast<unsigned char>(bytes[i]);
    return value;
}

// ErrorResponse: fields of a letter and a string that ends in NUL; M is the message.
std::string error_text(std::string_view body) {
    while (!body.empty() && body[0] != '\0') {
        const auto end = body.find('\0');
        if (body[0] == 'M')
            return to_utf8(body.substr(1, end - 1));
        body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    }
    return "no reason given";
}

} // namespace

std::string packet(std::string_view user, std::string_view database, std::string_view application) {
    std::string body = big_endian(protocol_3_0);
    for (const auto& [name, value] : {std::pair<std::string_view, std::string_view>{"user", user},
                                      {"database", database},
                                      {"application_name", application}}) {
        body += name;
        body += '\0';
        body += value;
        body += '\0';
    }
    body += '\0';
    return big_endian(static_cast<std::uint32_t>(body.size() + 4)) + body;
}

Result<bool> take_reply(std::string& bytes) {
    while (bytes.size() >= header_bytes) {
        const std::size_t length = read_big_endian(std::string_view(bytes).substr(1));
        if (length < 4 || length > max_message_bytes)
            return fail("the server does not speak PostgreSQL's protocol");
        if (bytes.size() < length + 1)
            return false;
        const char type = bytes[0];
        const auto body = std::string_view(bytes).substr(header_bytes, length - 4);
        switch (type) {
        case 'E':
            return fail(fmt::format("the server refused the connection: {}", error_text(body)));
        case 'R':
            if (body.size() < 4 || read_big_endian(body) != 0)
                return fail("the server asks for a password; idle connections need a server that trusts them");
            break;
        case 'Z':
            bytes.clear();
            return true;
        case 'S': // a setting
        case 'K': // the key for cancelling
        case 'N': // a notice
            break;
        default:
            return fail(fmt::format("the server sent a message of type {:#04x} before it was ready",
                                    static_cast<unsigned char>(type)));
        }
        bytes.erase(0, length + 1);
    }
    return false;
}

} // namespace snapscope::startup
