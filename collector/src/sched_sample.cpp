#include "sched_source.hpp"

#include <snapscope/base/text.hpp>

#include <map>
#include <set>

namespace snapscope {
namespace {

class SchedSample final : public Source {
  public:
    SchedSample(ProcFs proc, pid_t postmaster, Error why)
        : proc_(std::move(proc)), postmaster_(postmaster), why_(std::move(why)) {}

    [[nodiscard]] std::vector<SeriesName> series() const override { return {{"server_cpu_ns", "ns"}}; }

    void start(std::int64_t now_ns) override {
        start_ns_ = now_ns;
        advance();
        total_ns_ = 0;
    }

    std::vector<Value> sample(std::int64_t /*now_ns*/) override { return {static_cast<double>(advance())}; }

    void finish(std::int64_t now_ns, Run& run) override {
        end_ns_ = now_ns;
        run.totals.push_back({"server_cpu_ns", "sched", "ns", static_cast<std::int64_t>(total_ns_)});
        for (const char* unknown :
             {"migrations", "migrations_across_llc", "migrations_across_node", "migrations_across_socket"})
            run.totals.push_back({unknown, "sched", "1", std::nullopt});
    }

    [[nodiscard]] SourceStatus status() const override {
        SourceStatus status = counted_status("sched", start_ns_, end_ns_);
        status.state = SourceState::degraded;
        status.reason = why_.what + ": CPU time is read once an interval, so what short backends used is missing, and "
                                    "migrations are not known";
        status.hint = why_.hint;
        return status;
    }

  private:
    struct Process {
        std::uint64_t start_ticks = 0;
        std::uint64_t run_ns = 0;
    };

    // CPU time since the last call of every child that lives now.
    std::uint64_t advance() {
        // The kernel's list may leave out a child while another one ends: who was
        // there before is looked at in any case, and at first it is not asked.
        std::set<pid_t> pids;
        for (const pid_t pid : processes_.empty() ? proc_.children_of(postmaster_) : proc_.listed_children(postmaster_))
            pids.insert(pid);
        for (const auto& [pid, process] : processes_)
            pids.insert(pid);
        std::map<pid_t, Process> now;
        std::uint64_t added = 0;
        for (const pid_t pid : pids) {
            const auto process = proc_.stat(pid);
            if (!process || process->parent != postmaster_)
                continue;
            const auto text = read_text(proc_.path(pid, "schedstat"));
            const auto run_ns = text ? parse_integer<std::uint64_t>(text->substr(0, text->find(' '))) : std::nullopt;
            if (!run_ns)
                continue;
            const auto before = processes_.find(pid);
            const bool known = before != processes_.end() && before->second.start_ticks == process->start_ticks;
            const std::uint64_t base = known ? before->second.run_ns : 0;
            added += *run_ns > base ? *run_ns - base : 0;
            now[pid] = {process->start_ticks, *run_ns};
        }
        processes_ = std::move(now);
        total_ns_ += added;
        return added;
    }

    ProcFs proc_;
    pid_t postmaster_;
    Error why_;
    std::map<pid_t, Process> processes_;
    std::uint64_t total_ns_ = 0;
    std::int64_t start_ns_ = 0, end_ns_ = 0;
};

} // namespace

std::unique_ptr<Source> sample_sched(const ProcFs& proc, pid_t postmaster, Error why) {
    return std::make_unique<SchedSample>(proc, postmaster, std::move(why));
}

} // namespace snapscope
