#include "guard.hpp"

#include "listen.hpp"

#include <snapscope/base/text.hpp>

#include <algorithm>
#include <fmt/format.h>

namespace snapscope {
namespace {

constexpr std::size_t least_token = 32;
constexpr std::size_t most_token = 256;

// "[::1]:9188" -> "::1"; nullopt where it is no HOST[:PORT].
std::optional<std::string> host_without_port(const std::string& host) {
    std::string name = host;
    std::string port;
    if (host.starts_with('[')) {
        const auto end = host.find(']');
        if (end == std::string::npos)
            return std::nullopt;
        name = host.substr(1, end - 1);
        port = host.substr(end + 1);
    } else if (const auto colon = host.find(':'); colon != std::string::npos) {
        name = host.substr(0, colon);
        port = host.substr(colon);
    }
    if (!port.empty() && (port.front() != ':' || !parse_integer<std::uint16_t>(port.substr(1))))
        return std::nullopt;
    return name;
}

bool is_other_site(const HttpRequest& request) {
    const std::string site = request.header("sec-fetch-site");
    const bool other = site == "cross-site" || site == "same-site";
    return other && request.header("sec-fetch-mode") != "navigate";
}

std::string cookie_value(const std::string& header, const std::string& name) {
    for (const std::string& part : split(header, ';')) {
        const std::string_view pair = trim(part);
        if (pair.starts_with(name + "="))
            return std::string(pair.substr(name.size() + 1));
    }
    return "";
}

} // namespace

bool same_secret(const std::string& given, const std::string& secret) {
    unsigned differ = given.size() == secret.size() ? 0 : 1;
    for (std::size_t i = 0; i < secret.size(); ++i) {
        const char letter = given.empty() ? '\0' : given[i % given.size()];
        differ |= static_cast<unsigned>(static_cast<unsigned char>(letter) ^ static_cast<unsigned char>(secret[i]));
    }
    return differ == 0;
}

bool is_token(const std::string& text) {
    return text.size() >= least_token && text.size() <= most_token &&
           std::ranges::all_of(text, [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

bool Guard::host_is_ours(const std::string& host) const {
    const auto name = host_without_port(host);
    return name && (is_address(*name) || *name == "localhost" ||
                    std::ranges::find(options_.names, *name) != options_.names.end());
}

std::string Guard::cookie() const {
    return fmt::format("snapscope_{}", options_.port);
}

bool Guard::has_token(const HttpRequest& request) const {
    if (!options_.token)
        return true;
    constexpr std::string_view scheme = "Bearer ";
    const std::string authorization = request.header("authorization");
    if (authorization.starts_with(scheme))
        return same_secret(authorization.substr(scheme.size()), *options_.token);
    return same_secret(cookie_value(request.header("cookie"), cookie()), *options_.token);
}

std::optional<HttpResponse> Guard::refuses(const HttpRequest& request) const {
    if (!host_is_ours(request.header("host")))
        return text_response(421, "this host is not called that here; see --name of snapscope serve\n");
    if (request.method != "GET" && request.method != "HEAD" && request.method != "POST")
        return text_response(405, "only GET and POST\n");
    if (is_other_site(request))
        return text_response(403, "another site may not ask this\n");
    if (!has_token(request)) {
        HttpResponse out = text_response(401, "open the link with the token that snapscope serve printed\n");
        out.headers.emplace_back("WWW-Authenticate", "Bearer");
        return out;
    }
    if (request.method == "POST") {
        const std::string origin = request.header("origin");
        if (!origin.empty() && origin != "http://" + request.header("host") &&
            origin != "https://" + request.header("host"))
            return text_response(403, "another site may not do this\n");
        // What a form of another site cannot set.
        if (request.header("x-snapscope") != "1")
            return text_response(403, "a POST needs the header X-Snapscope: 1\n");
    }
    return std::nullopt;
}

std::optional<HttpResponse> Guard::logs_in(const HttpRequest& request) const {
    const std::string given = request.parameter("token");
    if (!options_.token || request.method != "GET" || request.path != "/" || given.empty() ||
        !host_is_ours(request.header("host")) || !same_secret(given, *options_.token))
        return std::nullopt;
    HttpResponse out = text_response(303, "");
    out.headers.emplace_back("Location", "/");
    out.headers.emplace_back("Set-Cookie",
                             fmt::format("{}={}; HttpOnly; SameSite=Strict; Path=/", cookie(), *options_.token));
    return out;
}

} // namespace snapscope
