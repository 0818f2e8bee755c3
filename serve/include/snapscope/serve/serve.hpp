// Watches servers and shows what is seen: a live page, an API and /metrics over
// HTTP.  Used by `snapscope serve`.
//
// Each server is watched by a thread of its own, which gives every window to a
// ring and never waits for anybody who reads it.  One more thread, the caller's,
// speaks HTTP; it holds no capability.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/collector/session.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace snapscope {

struct ServeOptions {
    std::vector<SessionOptions> servers; // at least one
    std::chrono::milliseconds interval{1000};
    std::chrono::seconds keep{300}; // how far back the page can go
    std::string address = "127.0.0.1";
    std::uint16_t port = 9188;                      // 0: any free one
    std::vector<std::string> names;                 // by which clients may call this host, beside addresses
    std::optional<std::string> token;               // asked of every client; none: one is made unless on loopback
    std::optional<std::filesystem::path> record_to; // folder for "record from here"; none: refused
    std::string tool_version;
    std::function<void(const std::string&)> note; // what there is to know, from any thread
    // Called once requests are taken, with the address to open.
    std::function<void(const std::string& url)> ready;
};

// Options that make no sense: class usage.
[[nodiscard]] Status check_serve(const ServeOptions& options);

// Blocks until `stop` is true.  Fails where no server can be looked at, or
// nothing can be listened on.
[[nodiscard]] Status serve(const ServeOptions& options, const std::atomic<bool>& stop);

} // namespace snapscope
