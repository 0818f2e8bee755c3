#include "guest_plan.hpp"
#include "guest_report.hpp"
#include "parts.hpp"
#include "run_program.hpp"
#include "stream_pipe.hpp"

#include <snapscope/base/files.hpp>
#include <snapscope/base/text.hpp>
#include <snapscope/emulator/emulation.hpp>
#include <snapscope/emulator/guest_image.hpp>
#include <snapscope/lab/pgbench.hpp>
#include <snapscope/lab/process.hpp>
#include <snapscope/lab/scratch_folder.hpp>

#include <array>
#include <csignal>
#include <fmt/format.h>

namespace snapscope::emulator {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

constexpr auto look_every = 20ms;
constexpr auto grace = 1s;
constexpr std::size_t console_bytes = std::size_t{4} << 20U;
constexpr std::size_t console_lines = 6;
constexpr std::uint64_t self_test_phase = 0;

// What has to come out of the guest's self-test, and nothing else.
constexpr std::array self_test{SNAPSCOPE_STREAM_READ, SNAPSCOPE_STREAM_WRITE, SNAPSCOPE_STREAM_LOCKED};

std::string console_tail(const fs::path& console) {
    const auto text = read_file(console, console_bytes);
    if (!text)
        return "";
    std::vector<std::string> lines;
    for (const std::string& line : split(*text, '\n'))
        if (!trim(line).empty())
            lines.emplace_back(trim(line));
    std::string out;
    for (std::size_t i = lines.size() > console_lines ? lines.size() - console_lines : 0; i < lines.size(); ++i)
        out += (out.empty() ? "" : " | ") + lines[i];
    return out;
}

// One boot, from QEMU's start to its end.
class Boot {
  public:
    Boot(const EmulationInputs& inputs, const EmulationOptions& options, const Progress& progress,
         const std::atomic<bool>* stop)
        : inputs_(inputs), options_(options), progress_(progress), stop_(stop),
          recorder_(inputs.server, report_.server(), options.clients) {}

    Result<Emulation> run() {
        SNAPSCOPE_TRY(prepare());
        const Status followed = follow();
        if (followed)
            return result();
        const std::string console = console_tail(folder_->path() / "console");
        return fail(fmt::format("{} (while {})", followed.error().what, report_.state()),
                    console.empty() ? followed.error().hint : "the guest's console ends in: " + console,
                    followed.error().error_class);
    }

  private:
    Status prepare();
    Status follow();
    Status take_stream();
    Status take_record(const snapscope_stream_record& record);
    Status take_self_test(const snapscope_stream_record& record);
    Status take_event(const snapscope_stream_record& record);
    Status take_count(const snapscope_stream_record& record);
    Status wait_for_phase(std::uint64_t number);
    Status check_time() const;
    Result<Emulation> result();

    const EmulationInputs& inputs_;
    const EmulationOptions& options_;
    const Progress& progress_;
    const std::atomic<bool>* stop_;
    std::optional<ScratchFolder> folder_;
    std::optional<StreamPipe> stream_;
    std::optional<Process> machine_;
    GuestReport report_;
    PhaseRecorder recorder_;
    std::optional<std::uint64_t> phase_; // being recorded
    std::size_t self_test_at_ = 0;
    std::vector<RecordedPhase> phases_;
    std::chrono::steady_clock::time_point deadline_;
};

Status Boot::prepare() {
    auto folder = ScratchFolder::create();
    if (!folder)
        return fail(folder.error());
    folder_.emplace(std::move(*folder));
    const auto plan = guest_plan(inputs_.server, inputs_.machine, options_);
    if (!plan)
        return fail(plan.error());
    MachineFiles files;
    files.initrd = folder_->path() / "initrd";
    files.console = folder_->path() / "console";
    files.stream = folder_->path() / "stream";
    files.plugin = folder_->path() / "plugin.so";
    files.marks = inputs_.server.mark_addresses;
    files.tsc_khz = measure_tsc_khz();
    SNAPSCOPE_TRY(write_initrd(inputs_.image, *plan, options_.script, files.initrd));
    std::error_code error;
    files.memory_mib = memory_mib_of(options_, fs::file_size(files.initrd, error));
    SNAPSCOPE_TRY(write_file_atomically(files.plugin, plugin_bytes()));
    auto stream = StreamPipe::create(files.stream);
    if (!stream)
        return fail(stream.error());
    stream_.emplace(std::move(*stream));
    Command command;
    command.argv = qemu_arguments(inputs_.packages, inputs_.machine, files);
    command.output = Command::Output::apart;
    std::string libraries;
    for (const auto& path : inputs_.packages.libraries)
        libraries += (libraries.empty() ? "" : ":") + path.string();
    command.environment = {{"LD_LIBRARY_PATH", libraries}};
    auto machine = Process::start(std::move(command));
    if (!machine)
        return fail(machine.error());
    machine_.emplace(std::move(*machine));
    deadline_ = std::chrono::steady_clock::now() + options_.limit;
    progress_(report_.state());
    return {};
}

Status Boot::check_time() const {
    if (stop_ != nullptr && stop_->load())
        return interrupted();
    if (std::chrono::steady_clock::now() >= deadline_)
        return fail(fmt::format("the emulated machine was not done within {} s", options_.limit.count()),
                    "give it longer: --limit");
    return {};
}

Status Boot::take_self_test(const snapscope_stream_record& record) {
    if (self_test_at_ < self_test.size() && record.kind == self_test.at(self_test_at_)) {
        ++self_test_at_;
        return {};
    }
    return fail("this QEMU does not tell reads, writes and locked operations apart as it should: the plug-in's "
                "self-test failed");
}

Status Boot::take_count(const snapscope_stream_record& record) {
    if (phases_.empty())
        return {}; // of the self-test
    RecordedPhase& phase = phases_.back();
    switch (record.detail) {
    case SNAPSCOPE_COUNT_BARRIERS:
        phase.barriers = record.address;
        break;
    case SNAPSCOPE_COUNT_TIMEOUTS:
        phase.timeouts = record.address;
        break;
    case SNAPSCOPE_COUNT_TSC_AHEAD:
        phase.guest_ticks_ahead = record.address;
        break;
    default:
        phase.foreign = record.address;
    }
    return {};
}

// An event comes in three records (shared/stream.h).
Status Boot::take_event(const snapscope_stream_record& record) {
    if (phases_.empty())
        return fail("the guest told of an event before the first load");
    std::vector<Event>& events = phases_.back().events;
    const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
    const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32U); };
    if (record.detail == 0) {
        Event event;
        event.time_ns = static_cast<std::int64_t>(record.address);
        event.slot = low(record.pc);
        events.push_back(event);
        return {};
    }
    if (events.empty())
        return fail("the guest told of an event that has no beginning");
    Event& event = events.back();
    if (record.detail == 1) {
        event.type = static_cast<std::uint8_t>(record.address);
        event.outcome = static_cast<std::uint8_t>(record.address >> 8U);
        event.cpu = static_cast<std::uint16_t>(record.address >> 16U);
        event.lines = static_cast<std::uint16_t>(record.address >> 32U);
        event.flags = static_cast<std::uint16_t>(record.address >> 48U);
        event.a = low(record.pc);
        event.b = high(record.pc);
        return {};
    }
    event.c = low(record.address);
    event.d = high(record.address);
    return {};
}

// The guest says on its serial line where things lie before it starts a phase,
// and the two ways have no order between them.
Status Boot::wait_for_phase(std::uint64_t number) {
    while (report_.phase() < number) {
        SNAPSCOPE_TRY(check_time());
        if (machine_->wait_for(look_every))
            return fail("the emulated machine ended before the guest said what it records");
        SNAPSCOPE_TRY(report_.take(machine_->output(), progress_));
    }
    return {};
}

Status Boot::take_record(const snapscope_stream_record& record) {
    if (record.kind == SNAPSCOPE_STREAM_START) {
        SNAPSCOPE_TRY(wait_for_phase(record.address));
        if (record.address != self_test_phase && self_test_at_ != self_test.size())
            return fail("the plug-in did not see all of its self-test");
        phase_ = record.address;
        recorder_.start(record.address);
        return {};
    }
    if (record.kind == SNAPSCOPE_STREAM_EVENT)
        return take_event(record);
    if (record.kind == SNAPSCOPE_STREAM_COUNT)
        return take_count(record);
    if (!phase_)
        return {}; // what ran on another CPU while the recording was being ended
    if (record.kind == SNAPSCOPE_STREAM_STOP) {
        if (phase_ != self_test_phase) {
            phases_.push_back(recorder_.finish());
            if (phases_.back().snapshots == 0)
                return fail(fmt::format("load {} took no snapshot while all its clients were connected", *phase_),
                            "give it more transactions");
            phases_.back().trace.topology = inputs_.machine.shape;
            phases_.back().trace.barrier_instructions = options_.phases.at(*phase_ - 1).barrier_instructions;
        }
        phase_.reset();
        return {};
    }
    return phase_ == self_test_phase ? take_self_test(record) : recorder_.take(record);
}

Status Boot::take_stream() {
    for (;;) {
        const auto records = stream_->read();
        if (!records)
            return fail(records.error());
        if (records->empty())
            return {};
        for (const snapscope_stream_record& record : *records)
            SNAPSCOPE_TRY(take_record(record));
    }
}

Status Boot::follow() {
    std::optional<int> ended;
    while (!ended) {
        SNAPSCOPE_TRY(check_time());
        ended = machine_->wait_for(look_every);
        SNAPSCOPE_TRY(report_.take(machine_->output(), progress_));
        SNAPSCOPE_TRY(take_stream());
    }
    if (!report_.done())
        return fail(fmt::format("the emulated machine ended early ({})", *ended),
                    machine_->errors().empty() ? "" : std::string(trim(machine_->errors())));
    return {};
}

Result<Emulation> Boot::result() {
    if (phases_.size() != options_.phases.size())
        return fail(fmt::format("{} of {} loads were recorded", phases_.size(), options_.phases.size()));
    Emulation out;
    out.guest = report_.server();
    out.sockets = report_.sockets();
    for (std::size_t i = 0; i < inputs_.machine.topology.cpus.size(); ++i)
        if (i >= out.sockets.size() || out.sockets[i] != inputs_.machine.topology.cpus[i].socket)
            return fail(fmt::format("the guest sees CPU {} on another socket than it was given", i));
    for (std::size_t i = 0; i < phases_.size(); ++i) {
        auto load = parse_pgbench(report_.loads().at(i + 1), {}, 0);
        if (!load)
            return fail(load.error());
        out.loads.push_back(std::move(*load));
    }
    out.phases = std::move(phases_);
    return out;
}

} // namespace

Result<Emulation> emulate(const EmulationInputs& inputs, const EmulationOptions& options, const Progress& progress,
                          const std::atomic<bool>* stop) {
    return Boot(inputs, options, progress, stop).run();
}

} // namespace snapscope::emulator
