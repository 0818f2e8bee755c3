#include "startup.hpp"

#include <snapscope/lab/idle_connections.hpp>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

namespace snapscope {
namespace {

// So many start at a time: the postmaster forks one after the other, and this
// keeps it busy without filling its queue.
constexpr std::size_t max_starting = 32;
constexpr std::size_t spare_descriptors = 128;
constexpr int reply_limit_ms = 60'000;
constexpr timeval send_limit{60, 0}; // of connect() to a socket whose queue is full

struct Starting {
    UniqueFd connection;
    std::string reply;
};

Status allow_open_files(std::size_t count) {
    rlimit limit{};
    ::getrlimit(RLIMIT_NOFILE, &limit);
    const rlim_t needed = count + spare_descriptors;
    if (limit.rlim_cur >= needed)
        return {};
    limit.rlim_cur = needed;
    limit.rlim_max = std::max(limit.rlim_max, needed); // root may
    if (::setrlimit(RLIMIT_NOFILE, &limit) != 0)
        return fail_errno(fmt::format("cannot open {} files at a time", needed), errno, "raise 'ulimit -n'");
    return {};
}

Result<UniqueFd> begin(const IdleTarget& target, const std::string& packet) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const auto path = target.socket.string();
    if (path.size() >= sizeof address.sun_path)
        return fail(path + " is too long a name for a socket");
    std::memcpy(address.sun_path, path.c_str(), path.size() + 1);

    UniqueFd connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!connection)
        return fail_errno("cannot open a socket", errno);
    ::setsockopt(connection.get(), SOL_SOCKET, SO_SNDTIMEO, &send_limit, sizeof send_limit);
    int done = 0;
    do
        done = ::connect(connection.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
    while (done != 0 && errno == EINTR);
    if (done != 0)
        return fail_errno("cannot connect to " + path, errno);
    if (::send(connection.get(), packet.data(), packet.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(packet.size()))
        return fail_errno("cannot write to " + path, errno);
    return connection;
}

// Reads what has come; true when the connection is ready.
Result<bool> advance(Starting& starting) {
    std::array<char, 4096> buffer{};
    const auto got = ::recv(starting.connection.get(), buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (got < 0)
        return fail_errno("an idle connection broke", errno);
    if (got == 0)
        return fail("the server closed an idle connection while it started");
    starting.reply.append(buffer.data(), static_cast<std::size_t>(got));
    return startup::take_reply(starting.reply);
}

} // namespace

Result<IdleConnections> IdleConnections::open(const IdleTarget& target, std::size_t count,
                                              const std::function<void(std::size_t)>& progress,
                                              const std::atomic<bool>* stop) {
    SNAPSCOPE_TRY(allow_open_files(count));
    const auto packet = startup::packet(target.user, target.database, "snapscope idle");
    const auto numbered = [&](const Error& error, std::size_t number) {
        return fail(Error{error.error_class, fmt::format("idle connection {} of {}: {}", number, count, error.what),
                          error.hint});
    };

    IdleConnections idle;
    std::deque<Starting> starting;
    while (idle.connections_.size() < count) {
        if (stop != nullptr && stop->load())
            return fail("interrupted");
        while (starting.size() < max_starting && idle.connections_.size() + starting.size() < count) {
            auto connection = begin(target, packet);
            if (!connection)
                return numbered(connection.error(), idle.connections_.size() + starting.size() + 1);
            starting.push_back({std::move(*connection), {}});
        }
        // The oldest first: they come up in about the order in which they were begun.
        pollfd oldest{starting.front().connection.get(), POLLIN, 0};
        const int ready = ::poll(&oldest, 1, reply_limit_ms);
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0)
            return numbered(Error{ErrorClass::failed, "the server did not answer", {}}, idle.connections_.size() + 1);
        const auto done = advance(starting.front());
        if (!done)
            return numbered(done.error(), idle.connections_.size() + 1);
        if (!*done)
            continue;
        idle.connections_.push_back(std::move(starting.front().connection));
        starting.pop_front();
        if (progress)
            progress(idle.connections_.size());
    }
    return idle;
}

std::size_t IdleConnections::count_open() const {
    std::size_t open = 0;
    for (const auto& connection : connections_) {
        std::array<char, 1> peeked{};
        const auto got = ::recv(connection.get(), peeked.data(), peeked.size(), MSG_DONTWAIT | MSG_PEEK);
        // Nothing to read is the usual state; an end of file is a closed connection.
        if ((got < 0 && errno == EAGAIN) || (got > 0 && peeked[0] != 'E'))
            ++open;
    }
    return open;
}

} // namespace snapscope
