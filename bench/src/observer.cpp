#include "observer.hpp"

#include "report.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/recording/run_folder.hpp>

#include <csignal>
#include <filesystem>
#include <fmt/format.h>
#include <thread>
#include <unistd.h>
#include <watch_source.hpp>

namespace snapscope::bench {
namespace {

using namespace std::chrono_literals;

constexpr auto ready_after = 2s; // what a tool needs to set itself up
constexpr auto ends_within = 30s;
constexpr const char* perf = "/usr/bin/perf";

// A program beside the load, ended by SIGINT.
class Program : public Observer {
  public:
    explicit Program(std::vector<std::string> argv) : folder_(make_folder()) {
        Command command;
        command.argv = std::move(argv);
        command.folder = folder_.path();
        auto process = Process::start(command);
        if (!process)
            give_up(process.error().message());
        process_.emplace(std::move(*process));
        if (process_->wait_for(ready_after))
            give_up(command_line(command.argv) + ": " + process_->output());
    }

  protected:
    [[nodiscard]] std::filesystem::path folder() const { return folder_.path(); }
    // The exit status.
    int end() {
        process_->send_signal(SIGINT);
        const auto status = process_->wait_for(ends_within);
        if (!status)
            give_up("a tool does not end: " + process_->output());
        return *status;
    }

  private:
    static ScratchFolder make_folder() {
        auto folder = ScratchFolder::create();
        if (!folder)
            give_up(folder.error().message());
        return std::move(*folder);
    }
    ScratchFolder folder_;
    std::optional<Process> process_;
};

std::vector<std::string> recording(const Server& server, const std::string& source,
                                   const std::vector<std::string>& more) {
    std::vector<std::string> argv{
        SNAPSCOPE_PROGRAM, "record", "--pid", std::to_string(server.pid()), "--source", source, "-o",
        "run.snap",        "--yes"};
    argv.insert(argv.end(), more.begin(), more.end());
    return argv;
}

// snapscope with one source.
class Snapscope final : public Program {
  public:
    Snapscope(const Server& server, const std::string& source, std::string total, const std::vector<std::string>& more)
        : Program(recording(server, source, more)), source_(source), total_(std::move(total)) {}

    std::string finish() override {
        (void)end();
        const auto run = read_run(folder() / "run.snap");
        if (!run)
            return run.error().message();
        for (const auto& total : run->totals)
            if (total.source == source_ && total.name == total_ && total.value.value_or(0) > 0)
                return "";
        for (const auto& status : run->sources)
            if (status.name == source_)
                return source_ + " counted nothing: " + status.reason;
        return source_ + " counted nothing";
    }

  private:
    std::string source_, total_;
};

// perf, whose file must not be empty.
class Perf final : public Program {
  public:
    Perf(std::vector<std::string> argv, std::string file) : Program(std::move(argv)), file_(std::move(file)) {}
    std::string finish() override {
        (void)end();
        std::error_code error;
        const auto bytes = std::filesystem::file_size(folder() / file_, error);
        return error || bytes < 4096 ? "perf wrote nothing" : "";
    }

  private:
    std::string file_;
};

class BpftraceOnServer final : public Observer {
  public:
    explicit BpftraceOnServer(const TracedSnapshot& traced) : bpftrace_(traced) {}
    std::string finish() override { return bpftrace_.finish() > 0 ? "" : "bpftrace counted nothing"; }

  private:
    Bpftrace bpftrace_;
};

TracedSnapshot snapshot_of(const Server& server) {
    const auto words = find_words(ProcFs(), server.pid(), nullptr);
    if (!words)
        give_up(words.error().message());
    TracedSnapshot traced;
    traced.file = (server.prefix() / "bin/postgres").string();
    traced.function = "GetSnapshotData";
    traced.parent = server.pid();
    traced.my_proc = words->number.pointer;
    traced.slot_offset = words->number.offset;
    return traced;
}

Tool snapscope_tool(const std::string& name, const std::string& contender, const std::string& source,
                    const std::string& total, const std::vector<std::string>& more = {}) {
    return {name, contender, "", [=](const Server& server) -> std::unique_ptr<Observer> {
                return std::make_unique<Snapscope>(server, source, total, more);
            }};
}

Tool perf_tool(const std::string& name, const std::vector<std::string>& argv, const std::string& file) {
    const bool here = ::access(perf, X_OK) == 0;
    return {name, contender::unpatched, here ? "" : "perf is not installed",
            [=](const Server&) -> std::unique_ptr<Observer> { return std::make_unique<Perf>(argv, file); }};
}

} // namespace

Tool mirror_tool(const std::string& contender) {
    return snapscope_tool("mirror", contender, "mirror", "samples");
}

std::vector<Tool> all_tools() {
    using contender::copy;
    using contender::unpatched;
    return {
        {"nothing", unpatched, "", {}},
        {"nothing, again", unpatched, "", {}},
        mirror_tool(unpatched),
        snapscope_tool("ebpf", unpatched, "ebpf", "snapshots_taken"),
        snapscope_tool("ebpf, --overhead 100%", unpatched, "ebpf", "snapshots_taken", {"--overhead", "100%"}),
        snapscope_tool("watch", unpatched, "watch", "lock_word_watched_ns"),
        {"bpftrace", unpatched, bpftrace_missing(),
         [](const Server& server) -> std::unique_ptr<Observer> {
             return std::make_unique<BpftraceOnServer>(snapshot_of(server));
         }},
        perf_tool("perf record -F 999 -a", {perf, "record", "-q", "-F", "999", "-a", "-o", "perf.data"}, "perf.data"),
        perf_tool("perf trace -a", {perf, "trace", "-a", "-o", "trace.txt"}, "trace.txt"),
        {"nothing", copy, "", {}},
        snapscope_tool("ring, counters", copy, "ring", "snapshots_taken"),
        snapscope_tool("ring, events", copy, "ring", "event_snapshots_taken", {"--events"}),
        snapscope_tool("ebpf (USDT)", copy, "ebpf", "snapshots_taken")};
}

} // namespace snapscope::bench
