// Who may ask: decided from a request's headers alone.  Pure.
//
// A page of somebody else's that runs in the same browser must neither read nor
// do anything here, also where its name has been made to mean 127.0.0.1 (DNS
// rebinding): such a request calls this host by that name.
#pragma once

#include "http.hpp"

#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct GuardOptions {
    std::vector<std::string> names;   // by which this host may be called, beside addresses and localhost
    std::optional<std::string> token; // asked of everybody
    std::uint16_t port = 0;           // tells the cookies of several servers apart
};

class Guard {
  public:
    explicit Guard(GuardOptions options) : options_(std::move(options)) {}
    // The refusal; nullopt: it may be answered.
    [[nodiscard]] std::optional<HttpResponse> refuses(const HttpRequest& request) const;
    // A link with ?token= becomes a cookie and the same page without it.
    [[nodiscard]] std::optional<HttpResponse> logs_in(const HttpRequest& request) const;

  private:
    [[nodiscard]] bool host_is_ours(const std::string& host) const;
    [[nodiscard]] bool has_token(const HttpRequest& request) const;
    [[nodiscard]] std::string cookie() const;
    GuardOptions options_;
};

// In a time that tells nothing of where they differ.
[[nodiscard]] bool same_secret(const std::string& given, const std::string& secret);

// 128 random bits as 32 hex digits are what is asked of a token.
[[nodiscard]] bool is_token(const std::string& text);

} // namespace snapscope
