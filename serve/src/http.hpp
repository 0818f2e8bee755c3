// HTTP on one thread, by libmicrohttpd: requests in, answers and streams out.
//
// Sockets never block.  A stream holds a place in what is told and no queue of
// its own: it is asked for the next text when the client has taken the last one,
// so that a slow client costs one text and a socket's buffer, whatever is told
// meanwhile.  The number of clients is bounded, and one that takes or sends
// nothing for a while is let go.
#pragma once

#include <snapscope/base/result.hpp>
#include <snapscope/base/unique_fd.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace snapscope {

struct HttpRequest {
    std::string method, path;
    std::map<std::string, std::string> query;   // decoded
    std::map<std::string, std::string> headers; // names in small letters
    [[nodiscard]] std::string header(const std::string& name) const;
    [[nodiscard]] std::string parameter(const std::string& name) const;
};

using SharedText = std::shared_ptr<const std::string>;

class HttpStream {
  public:
    HttpStream() = default;
    HttpStream(const HttpStream&) = delete;
    HttpStream& operator=(const HttpStream&) = delete;
    HttpStream(HttpStream&&) = delete;
    HttpStream& operator=(HttpStream&&) = delete;
    virtual ~HttpStream() = default;
    // What to send next; null: nothing before the next wake().
    virtual SharedText next() = 0;
};

struct HttpResponse {
    unsigned status = 200;
    std::string type = "text/plain; charset=utf-8";
    SharedText body;
    std::unique_ptr<HttpStream> stream; // instead of the body
    std::vector<std::pair<std::string, std::string>> headers;
};

[[nodiscard]] HttpResponse text_response(unsigned status, std::string text);

class HttpServer {
  public:
    using Handler = std::function<HttpResponse(const HttpRequest&)>;
    struct Options {
        std::string address;    // of this host, as numbers
        std::uint16_t port = 0; // 0: any free one
        unsigned most_clients = 256;
        std::chrono::seconds idle_limit{30};
    };
    [[nodiscard]] static Result<HttpServer> start(const Options& options, Handler handler);
    HttpServer(HttpServer&&) noexcept;
    HttpServer& operator=(HttpServer&&) noexcept;
    HttpServer(const HttpServer&) = delete;
    HttpServer& operator=(const HttpServer&) = delete;
    ~HttpServer();

    [[nodiscard]] std::uint16_t port() const;
    // Readable in poll() when run() has something to do, which it also has after timeout().
    [[nodiscard]] int fd() const;
    [[nodiscard]] std::optional<std::chrono::milliseconds> timeout() const;
    void run();
    // Streams that had nothing are asked again.
    void wake();
    [[nodiscard]] std::size_t streams() const;

  private:
    struct State;
    explicit HttpServer(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace snapscope
