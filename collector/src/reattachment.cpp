#include <snapscope/collector/reattachment.hpp>

#include <algorithm>

namespace snapscope {
namespace {

constexpr std::chrono::milliseconds between_attempts{500};
constexpr int most_attempts = 20; // for all sources that it gave before

} // namespace

void Reattachment::attached(SessionOptions& options, const SessionInfo& info) {
    stay_with(options, info.postmaster);
    most_sources_ = std::max(most_sources_, info.attached.size());
    attempts_ = 0;
}

void Reattachment::postpone() {
    due_ = Clock::now() + between_attempts;
}

Result<Session> Reattachment::attempt(const SessionOptions& options) {
    auto session = Session::open(options);
    if (!session)
        return fail("the server has ended; waiting for it to come back (" + session.error().what + ")");
    if (session->info().attached.size() < most_sources_ && ++attempts_ < most_attempts)
        return fail("the server is back; waiting for its sources");
    return session;
}

} // namespace snapscope
