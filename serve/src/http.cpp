#include "http.hpp"

#include "listen.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>
#include <microhttpd.h>
#include <set>
#include <sys/epoll.h>

namespace snapscope {
namespace {

constexpr std::size_t stream_block_bytes = 32 * 1024;
constexpr std::size_t memory_of_a_client = 32 * 1024; // for its request

std::string small_letters(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

enum MHD_Result collect(void* into, enum MHD_ValueKind kind, const char* key, const char* value) {
    auto& request = *static_cast<HttpRequest*>(into);
    const std::string name(key), text(value == nullptr ? "" : value);
    if (kind == MHD_GET_ARGUMENT_KIND)
        request.query.emplace(name, text);
    else
        request.headers.emplace(small_letters(name), text);
    return MHD_YES;
}

HttpRequest request_of(MHD_Connection* connection, const char* url, const char* method) {
    HttpRequest request;
    request.method = method;
    request.path = url;
    MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, collect, &request);
    MHD_get_connection_values(connection, MHD_HEADER_KIND, collect, &request);
    return request;
}

} // namespace

std::string HttpRequest::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? "" : found->second;
}

std::string HttpRequest::parameter(const std::string& name) const {
    const auto found = query.find(name);
    return found == query.end() ? "" : found->second;
}

HttpResponse text_response(unsigned status, std::string text) {
    HttpResponse out;
    out.status = status;
    out.body = std::make_shared<const std::string>(std::move(text));
    return out;
}

struct HttpServer::State {
    // A stream that is being sent; the response owns it.
    struct Sending {
        State* server = nullptr;
        MHD_Connection* connection = nullptr;
        std::unique_ptr<HttpStream> stream;
        SharedText text;
        std::size_t sent = 0;
    };

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    State(State&&) = delete;
    State& operator=(State&&) = delete;
    ~State() {
        if (daemon == nullptr)
            return;
        resume();
        MHD_stop_daemon(daemon);
    }

    void resume() {
        for (MHD_Connection* connection : std::exchange(waiting, {}))
            MHD_resume_connection(connection);
    }

    static ssize_t give(void* sending, std::uint64_t /*position*/, char* buffer, std::size_t most);
    static void end(void* sending);
    static enum MHD_Result answer(void* self, MHD_Connection* connection, const char* url, const char* method,
                                  const char* version, const char* upload, std::size_t* upload_bytes, void** context);
    enum MHD_Result send(MHD_Connection* connection, HttpResponse response);

    Handler handler;
    MHD_Daemon* daemon = nullptr;
    int epoll = -1; // the daemon's
    std::uint16_t port = 0;
    std::set<MHD_Connection*> waiting; // suspended: their streams had nothing
    std::size_t streams = 0;
};

ssize_t HttpServer::State::give(void* sending, std::uint64_t /*position*/, char* buffer, std::size_t most) {
    auto& now = *static_cast<Sending*>(sending);
    if (!now.text || now.sent == now.text->size()) {
        now.text = now.stream->next();
        now.sent = 0;
    }
    if (!now.text) {
        MHD_suspend_connection(now.connection);
        now.server->waiting.insert(now.connection);
        return 0;
    }
    const std::size_t bytes = std::min(most, now.text->size() - now.sent);
    std::memcpy(buffer, now.text->data() + now.sent, bytes);
    now.sent += bytes;
    return static_cast<ssize_t>(bytes);
}

void HttpServer::State::end(void* sending) {
    const std::unique_ptr<Sending> ended(static_cast<Sending*>(sending));
    ended->server->waiting.erase(ended->connection);
    --ended->server->streams;
}

enum MHD_Result HttpServer::State::send(MHD_Connection* connection, HttpResponse response) {
    MHD_Response* made = nullptr;
    if (response.stream) {
        auto sending = std::make_unique<Sending>();
        sending->server = this;
        sending->connection = connection;
        sending->stream = std::move(response.stream);
        made = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, stream_block_bytes, give, sending.get(), end);
        if (made == nullptr)
            return MHD_NO;
        sending.release(); // end() deletes it
        ++streams;
    } else {
        const std::string& body = response.body ? *response.body : std::string();
        made = MHD_create_response_from_buffer(body.size(), const_cast<char*>(body.data()), MHD_RESPMEM_MUST_COPY);
        if (made == nullptr)
            return MHD_NO;
    }
    MHD_add_response_header(made, "Content-Type", response.type.c_str());
    for (const auto& [name, value] : response.headers)
        MHD_add_response_header(made, name.c_str(), value.c_str());
    const auto queued = MHD_queue_response(connection, response.status, made);
    MHD_destroy_response(made);
    return queued;
}

enum MHD_Result HttpServer::State::answer(void* self, MHD_Connection* connection, const char* url, const char* method,
                                          const char* /*version*/, const char* /*upload*/, std::size_t* upload_bytes,
                                          void** context) {
    static char headers_seen;
    if (*context == nullptr) { // an answer may only follow once the request is whole
        *context = &headers_seen;
        return MHD_YES;
    }
    if (*upload_bytes != 0) { // nothing is asked for in a body
        *upload_bytes = 0;
        return MHD_YES;
    }
    auto& server = *static_cast<State*>(self);
    return server.send(connection, server.handler(request_of(connection, url, method)));
}

HttpServer::HttpServer(std::unique_ptr<State> state) : state_(std::move(state)) {}
HttpServer::HttpServer(HttpServer&&) noexcept = default;
HttpServer& HttpServer::operator=(HttpServer&&) noexcept = default;
HttpServer::~HttpServer() = default;

Result<HttpServer> HttpServer::start(const Options& options, Handler handler) {
    auto listening = listen_on(options.address, options.port);
    if (!listening)
        return fail(listening.error());
    auto state = std::make_unique<State>();
    state->handler = std::move(handler);
    state->port = listening->port;
    state->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, nullptr, nullptr, &State::answer,
                                     state.get(), MHD_OPTION_LISTEN_SOCKET, listening->socket.get(),
                                     MHD_OPTION_CONNECTION_LIMIT, options.most_clients, MHD_OPTION_CONNECTION_TIMEOUT,
                                     static_cast<unsigned>(options.idle_limit.count()),
                                     MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory_of_a_client, MHD_OPTION_END);
    if (state->daemon == nullptr)
        return fail("cannot start the HTTP server");
    static_cast<void>(listening->socket.release()); // the daemon closes it
    const auto* info = MHD_get_daemon_info(state->daemon, MHD_DAEMON_INFO_EPOLL_FD);
    if (info == nullptr)
        return fail("this libmicrohttpd was built without epoll");
    state->epoll = info->epoll_fd;
    return HttpServer(std::move(state));
}

std::uint16_t HttpServer::port() const {
    return state_->port;
}

int HttpServer::fd() const {
    return state_->epoll;
}

std::optional<std::chrono::milliseconds> HttpServer::timeout() const {
    MHD_UNSIGNED_LONG_LONG ms = 0;
    if (MHD_get_timeout(state_->daemon, &ms) != MHD_YES)
        return std::nullopt;
    return std::chrono::milliseconds(ms);
}

void HttpServer::run() {
    MHD_run(state_->daemon);
}

void HttpServer::wake() {
    state_->resume();
}

std::size_t HttpServer::streams() const {
    return state_->streams;
}

} // namespace snapscope
