#include "crash_guard.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

namespace snapscope::mirror {
namespace {

constexpr int look_every_ms = 20; // for processes that are new
constexpr std::uint64_t wake_key = 0;
constexpr std::uint64_t postmaster_key = UINT64_MAX;

UniqueFd open_process(pid_t pid) {
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0)));
}

} // namespace

CrashGuard::CrashGuard(const ServerImage& image, const Anatomy& anatomy, const Memory& segment,
                       std::function<void(const std::string&)> on_crash)
    : image_(image), anatomy_(anatomy), segment_(segment), on_crash_(std::move(on_crash)),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)), wake_(::eventfd(0, EFD_CLOEXEC)), postmaster_(open_process(image.pid())) {
    add(wake_.get(), wake_key);
    add(postmaster_.get(), postmaster_key);
    if (const auto pids = listed())
        (void)watch(*pids); // the first look
    thread_ = std::thread([this] { run(); });
}

CrashGuard::~CrashGuard() {
    const std::uint64_t one = 1;
    while (::write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
    thread_.join();
}

void CrashGuard::add(int fd, std::uint64_t key) const {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = key;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event);
}

// Who stands in the proc array, and the auxiliary processes, which have fixed entries.
Result<std::set<pid_t>> CrashGuard::listed() const {
    const auto& a = anatomy_;
    const auto count = load<std::uint32_t>(segment_, a.proc_array);
    if (!count || *count > a.max_roster())
        return fail("the proc array cannot be read");
    std::vector<std::uint32_t> slots(*count);
    const Piece roster{a.roster(), std::as_writable_bytes(std::span(slots))};
    SNAPSCOPE_TRY(segment_.read(std::span(&roster, 1)));
    for (std::uint32_t slot = a.max_backends; slot < a.all_proc_count; ++slot)
        slots.push_back(slot);
    std::vector<pid_t> pids(slots.size());
    std::vector<Piece> pieces;
    for (std::size_t i = 0; i < slots.size(); ++i) {
        if (slots[i] >= a.slots)
            return fail("the proc array is torn");
        pieces.push_back({a.all_procs + std::uint64_t{slots[i]} * a.layout.pgproc_bytes + a.layout.pid,
                          std::as_writable_bytes(std::span(pids).subspan(i, 1))});
    }
    SNAPSCOPE_TRY(segment_.read(pieces));
    std::set<pid_t> found(pids.begin(), pids.end());
    found.erase(0);
    return found;
}

// Who leaves in order is first taken out of the proc array, and so is listed by
// one look at most that comes too late.
bool CrashGuard::watch(const std::set<pid_t>& pids) {
    std::erase_if(watched_, [&](const auto& entry) { return !pids.contains(entry.first); });
    std::optional<PidTranslation> translate;
    std::set<pid_t> gone;
    for (const pid_t pid : pids) {
        if (watched_.contains(pid))
            continue;
        if (!translate)
            translate = image_.pid_translation();
        const auto host = (*translate)(pid);
        UniqueFd process = host ? open_process(*host) : UniqueFd();
        if (!process) {
            gone.insert(pid);
            continue;
        }
        add(process.get(), static_cast<std::uint64_t>(pid));
        watched_.emplace(pid, std::move(process));
    }
    const bool crashed = std::ranges::any_of(gone, [&](pid_t pid) { return gone_.contains(pid); });
    gone_ = std::move(gone);
    return !crashed;
}

void CrashGuard::run() {
    constexpr const char* crashed = "the segment was let go: a process of the server crashed";
    ::pthread_setname_np(::pthread_self(), "mirror-guard");
    for (;;) {
        std::array<epoll_event, 64> events{};
        const int count = ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), look_every_ms);
        const auto pids = listed();
        for (int i = 0; i < count; ++i) {
            const std::uint64_t key = events.at(static_cast<std::size_t>(i)).data.u64;
            if (key == wake_key)
                return;
            // Whom the proc array still lists, or nobody can tell.
            if (key == postmaster_key || !pids || pids->contains(static_cast<pid_t>(key)))
                return on_crash_(crashed);
            watched_.erase(static_cast<pid_t>(key));
        }
        if (pids && !watch(*pids))
            return on_crash_(crashed);
    }
}

} // namespace snapscope::mirror
