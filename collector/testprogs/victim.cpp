// A stand-in for a patched server: a "postmaster" that makes the memory file of
// probes/abi.h, and children that own slots and emit a known number of events
// through probes/emit.h.  It is driven line by line over stdin and answers each
// command with one line:
//
//   go N        every child takes N snapshots            "done"
//   spawn       one more child, on the next free slot    "done"
//   semaphore   value of the USDT semaphore              "semaphore V"
//   control     the consumer's words                     "control ENABLED LEASE_RUNS"
//   crash       as after a crash restart                 "done"
//   quit
//
// A round is: start, done (reused, rebuilt, private scan in turn); each fourth
// also assigns an xid, wipes the copy (xact_end) and ends the transaction.
#include <snapscope/probes/emit.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <iostream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

SNAPSCOPE_USDT_DEFINE_SEMAPHORE;

namespace {

constexpr std::uint64_t ticks_per_lease = 100'000'000'000ULL;

struct Options {
    std::string pgdata;
    std::uint32_t children = 2;
    std::uint32_t slots = 16;
    std::uint32_t capacity = 4096;
    std::uint32_t mode = SNAPSCOPE_MODE_COPY;
    std::string port = "54399";
};

std::uint64_t round_up(std::uint64_t bytes) {
    return (bytes + SNAPSCOPE_PAGE_BYTES - 1) / SNAPSCOPE_PAGE_BYTES * SNAPSCOPE_PAGE_BYTES;
}

[[noreturn]] void die(const char* what) {
    std::perror(what);
    std::_Exit(1);
}

char* make_file(const Options& options) {
    snapscope_header header{};
    header.magic = SNAPSCOPE_ABI_MAGIC;
    header.version = SNAPSCOPE_ABI_VERSION;
    header.header_bytes = sizeof header;
    header.postmaster_pid = static_cast<std::uint32_t>(getpid());
    header.mode = options.mode;
#if defined(__x86_64__)
    header.clock = SNAPSCOPE_CLOCK_TSC;
#else
    header.clock = SNAPSCOPE_CLOCK_MONOTONIC_NS;
#endif
    header.slots = options.slots;
    header.max_connections = options.slots;
    header.max_backends = options.slots;
    header.server_version = 130016;
    header.incarnation = 1;
    header.max_lease_ticks = ticks_per_lease;
    header.consumer_offset = SNAPSCOPE_PAGE_BYTES;
    header.tails_offset = header.consumer_offset + sizeof(snapscope_control);
    header.counters_offset = round_up(header.tails_offset + options.slots * sizeof(snapscope_tail));
    header.rings_offset = round_up(header.counters_offset + options.slots * sizeof(snapscope_counters));
    header.ring_capacity = options.capacity;
    header.ring_stride = round_up(sizeof(snapscope_head) + std::uint64_t{options.capacity} * sizeof(snapscope_record));
    header.record_bytes = sizeof(snapscope_record);
    header.total_bytes = header.rings_offset + options.slots * header.ring_stride;
    header.pgxact_address = 0x7f0000000010;
    header.pgxact_stride = 12;

    const int fd = memfd_create(SNAPSCOPE_MEMFD_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0 || ftruncate(fd, static_cast<off_t>(header.total_bytes)) != 0)
        die("memfd");
    void* base = mmap(nullptr, header.total_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (base == MAP_FAILED)
        die("mmap");
    std::memcpy(base, &header, sizeof header);
    if (fcntl(fd, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL) != 0)
        die("seal");
    return static_cast<char*>(base);
}

class Backend {
  public:
    Backend(char* base, std::uint32_t slot)
        : header_(reinterpret_cast<const snapscope_header*>(base)),
          control_(reinterpret_cast<const snapscope_control*>(base + header_->consumer_offset)),
          counters_(reinterpret_cast<snapscope_counters*>(base + header_->counters_offset) + slot), slot_(slot) {
        snapscope_ring_attach(&ring_, base, slot);
        counters_->owner_pid = static_cast<std::uint32_t>(getpid());
        counters_->database = 1;
    }

    void round(std::uint64_t number) {
        emit(SNAPSCOPE_EV_SNAPSHOT_START, 0);
        const auto outcome = static_cast<std::uint8_t>(SNAPSCOPE_OUTCOME_REUSED + number % 3);
        ++counters_->taken;
        if (outcome == SNAPSCOPE_OUTCOME_REUSED)
            ++counters_->reused;
        else if (outcome == SNAPSCOPE_OUTCOME_REBUILT)
            ++counters_->rebuilt;
        else
            ++counters_->private_scans;
        counters_->lines_scanned += outcome == SNAPSCOPE_OUTCOME_REUSED ? 0 : 3;
        emit(SNAPSCOPE_EV_SNAPSHOT_DONE, outcome);
        if (number % 4 != 0) {
            ++counters_->xacts_without_xid;
            emit(SNAPSCOPE_EV_XACT_END, 0);
            return;
        }
        ++counters_->xids_assigned;
        emit(SNAPSCOPE_EV_XID_ASSIGNED, 0, 1000);
        ++counters_->invalidations[SNAPSCOPE_REASON_XACT_END];
        emit(SNAPSCOPE_EV_INVALIDATE, SNAPSCOPE_REASON_XACT_END);
        ++counters_->xacts_with_xid;
        emit(SNAPSCOPE_EV_XACT_END, 0, 1000);
    }

  private:
    void emit(std::uint8_t type, std::uint8_t outcome, std::uint32_t a = 0) {
        snapscope_record record{};
        record.type = type;
        record.outcome = outcome;
        record.a = a;
        record.ticks = snapscope_ticks(header_->clock, &record.cpu);
        const bool running = snapscope_lease_runs(control_, header_->max_lease_ticks, record.ticks) != 0;
        if (running && !was_running_) {
            snapscope_record on = record;
            on.type = SNAPSCOPE_EV_RING_ON;
            on.outcome = 0;
            on.a = static_cast<std::uint32_t>(counters_->taken);
            push(on);
        }
        was_running_ = running;
        if (running)
            push(record);
        if (SNAPSCOPE_USDT_LISTENING())
            snapscope_usdt_fire(slot_, &record);
    }
    void push(const snapscope_record& record) {
        ++(snapscope_ring_push(&ring_, &record) != 0 ? counters_->events_written : counters_->events_lost);
    }

    const snapscope_header* header_;
    const snapscope_control* control_;
    snapscope_counters* counters_;
    snapscope_ring ring_{};
    std::uint32_t slot_;
    bool was_running_ = false;
};

struct Child {
    int command = -1; // write: number of rounds
    int answer = -1;  // read: one byte when done
};

Child start_child(char* base, std::uint32_t slot) {
    int command[2];
    int answer[2];
    if (pipe2(command, O_CLOEXEC) != 0 || pipe2(answer, O_CLOEXEC) != 0)
        die("pipe");
    const pid_t pid = fork();
    if (pid < 0)
        die("fork");
    if (pid == 0) {
        close(command[1]);
        close(answer[0]);
        Backend backend(base, slot);
        std::uint64_t rounds = 0;
        std::uint64_t number = 0;
        while (read(command[0], &rounds, sizeof rounds) == static_cast<ssize_t>(sizeof rounds)) {
            for (std::uint64_t i = 0; i < rounds; ++i)
                backend.round(number++);
            if (write(answer[1], "d", 1) != 1)
                break;
        }
        std::_Exit(0);
    }
    close(command[0]);
    close(answer[1]);
    return {command[1], answer[0]};
}

void go(const std::vector<Child>& children, std::uint64_t rounds) {
    for (const auto& child : children) {
        if (write(child.command, &rounds, sizeof rounds) != static_cast<ssize_t>(sizeof rounds))
            die("write");
    }
    char done = 0;
    for (const auto& child : children) {
        if (read(child.answer, &done, 1) != 1)
            die("read");
    }
    std::cout << "done" << std::endl;
}

void crash(char* base) {
    auto* header = reinterpret_cast<snapscope_header*>(base);
    std::memset(base + header->counters_offset, 0, header->slots * sizeof(snapscope_counters));
    ++header->incarnation;
    std::cout << "done" << std::endl;
}

void say_control(char* base) {
    const auto* header = reinterpret_cast<const snapscope_header*>(base);
    const auto* control = reinterpret_cast<const snapscope_control*>(base + header->consumer_offset);
    std::uint16_t cpu = 0;
    std::cout << "control " << control->enabled << " "
              << snapscope_lease_runs(control, header->max_lease_ticks, snapscope_ticks(header->clock, &cpu))
              << std::endl;
}

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string name = argv[i];
        const std::string value = argv[i + 1];
        if (name == "-D")
            options.pgdata = value;
        else if (name == "--children")
            options.children = static_cast<std::uint32_t>(std::stoul(value));
        else if (name == "--slots")
            options.slots = static_cast<std::uint32_t>(std::stoul(value));
        else if (name == "--capacity")
            options.capacity = static_cast<std::uint32_t>(std::stoul(value));
        else if (name == "--mode")
            options.mode = static_cast<std::uint32_t>(std::stoul(value));
        else if (name == "--port")
            options.port = value;
    }
    return options;
}

void write_postmaster_file(const Options& options) {
    std::FILE* file = std::fopen("postmaster.pid", "w");
    if (file == nullptr)
        die("postmaster.pid");
    std::fprintf(file, "%d\n%s\n0\n%s\n%s\n", getpid(), options.pgdata.c_str(), options.port.c_str(),
                 options.pgdata.c_str());
    std::fclose(file);
}

} // namespace

int main(int argc, char** argv) {
    const Options options = parse(argc, argv);
    if (options.pgdata.empty() || chdir(options.pgdata.c_str()) != 0)
        die("-D");
    write_postmaster_file(options);
    char* base = make_file(options);
    std::vector<Child> children;
    for (std::uint32_t slot = 0; slot < options.children; ++slot)
        children.push_back(start_child(base, slot));
    std::cout << "ready" << std::endl;
    for (std::string line; std::getline(std::cin, line) && line != "quit";) {
        if (line.rfind("go ", 0) == 0)
            go(children, std::stoull(line.substr(3)));
        else if (line == "spawn") {
            children.push_back(start_child(base, static_cast<std::uint32_t>(children.size())));
            std::cout << "done" << std::endl;
        } else if (line == "semaphore")
            std::cout << "semaphore " << *static_cast<volatile unsigned short*>(&snapscope_usdt_semaphore) << std::endl;
        else if (line == "control")
            say_control(base);
        else if (line == "crash")
            crash(base);
    }
    for (const auto& child : children)
        close(child.command);
    while (wait(nullptr) > 0) {
    }
    return 0;
}
