#include "listen.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <fmt/format.h>
#include <netinet/in.h>
#include <optional>
#include <sys/socket.h>

namespace snapscope {
namespace {

constexpr int kept_for_a_client = 128 * 1024; // bytes; the kernel doubles it
constexpr int waiting_connections = 64;

struct Address {
    sockaddr_storage storage{};
    socklen_t length = 0;
};

std::optional<Address> parse(const std::string& text, std::uint16_t port) {
    Address out;
    sockaddr_in four{};
    sockaddr_in6 six{};
    if (::inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1) {
        four.sin_family = AF_INET;
        four.sin_port = htons(port);
        *reinterpret_cast<sockaddr_in*>(&out.storage) = four;
        out.length = sizeof four;
    } else if (::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1) {
        six.sin6_family = AF_INET6;
        six.sin6_port = htons(port);
        *reinterpret_cast<sockaddr_in6*>(&out.storage) = six;
        out.length = sizeof six;
    } else {
        return std::nullopt;
    }
    return out;
}

std::uint16_t port_of(const sockaddr_storage& address) {
    return ntohs(address.ss_family == AF_INET ? reinterpret_cast<const sockaddr_in&>(address).sin_port
                                              : reinterpret_cast<const sockaddr_in6&>(address).sin6_port);
}

} // namespace

bool is_address(const std::string& address) {
    return parse(address, 0).has_value();
}

bool is_loopback(const std::string& address) {
    const auto parsed = parse(address, 0);
    if (!parsed)
        return false;
    if (parsed->storage.ss_family == AF_INET)
        return ntohl(reinterpret_cast<const sockaddr_in&>(parsed->storage).sin_addr.s_addr) >> 24U == 127;
    return IN6_IS_ADDR_LOOPBACK(&reinterpret_cast<const sockaddr_in6&>(parsed->storage).sin6_addr);
}

Result<Listening> listen_on(const std::string& address, std::uint16_t port) {
    auto parsed = parse(address, port);
    if (!parsed)
        return fail(fmt::format("'{}' is no address in numbers", address), "e.g. 127.0.0.1 or ::1", ErrorClass::usage);
    const int family = parsed->storage.ss_family;
    UniqueFd socket(::socket(family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket)
        return fail_errno("cannot make a socket", errno);
    const int yes = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    ::setsockopt(socket.get(), SOL_SOCKET, SO_SNDBUF, &kept_for_a_client, sizeof kept_for_a_client);
    if (family == AF_INET6)
        ::setsockopt(socket.get(), IPPROTO_IPV6, IPV6_V6ONLY, &yes, sizeof yes);
    auto* const plain = reinterpret_cast<sockaddr*>(&parsed->storage);
    if (::bind(socket.get(), plain, parsed->length) != 0 || ::listen(socket.get(), waiting_connections) != 0)
        return fail_errno(fmt::format("cannot listen on {} port {}", address, port), errno,
                          "give another one with --listen");
    socklen_t length = sizeof parsed->storage;
    if (::getsockname(socket.get(), plain, &length) != 0)
        return fail_errno("cannot tell which port is listened on", errno);
    return Listening{std::move(socket), port_of(parsed->storage)};
}

} // namespace snapscope
