/*
 * The server's own events, of its rings (probes/abi.h): listened to while a load
 * runs, and told to the plug-in when it is over.  The rings hold all of it, so
 * nobody has to empty them meanwhile.
 */
#include "guest.h"

#include <fcntl.h>
#include <signal.h>
#include <snapscope/probes/abi.h>
#include <snapscope/probes/ticks.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DESCRIPTORS 256
#define RENEW_US 200000
#define CLOCK_ROUNDS 64

static unsigned char* file; /* the memory file */
static struct snapscope_header* header;
static struct snapscope_control* control;
static pid_t keeper;

static int open_memory_file(pid_t server) {
    for (int i = 0; i < DESCRIPTORS; i++) {
        char path[64];
        char target[128];
        ssize_t bytes;

        snprintf(path, sizeof(path), "/proc/%d/fd/%d", (int)server, i);
        bytes = readlink(path, target, sizeof(target) - 1);
        if (bytes <= 0)
            continue;
        target[bytes] = '\0';
        if (strncmp(target, "/memfd:" SNAPSCOPE_MEMFD_NAME, strlen("/memfd:" SNAPSCOPE_MEMFD_NAME)) == 0)
            return open(path, O_RDWR | O_CLOEXEC);
    }
    return -1;
}

void events_open(pid_t server) {
    const int fd = open_memory_file(server);
    struct stat facts;

    if (fd < 0 || fstat(fd, &facts) != 0 || flock(fd, LOCK_EX | LOCK_NB) != 0)
        give_up("the server's memory file cannot be had");
    file = mmap(NULL, (size_t)facts.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    header = (struct snapscope_header*)file;
    if (file == MAP_FAILED || header->magic != SNAPSCOPE_ABI_MAGIC || header->version != SNAPSCOPE_ABI_VERSION)
        give_up("the server's memory file is of another version");
    if (header->clock != SNAPSCOPE_CLOCK_TSC)
        give_up("the server does not stamp its events by the TSC");
    control = (struct snapscope_control*)(file + header->consumer_offset);
}

static uint64_t now(void) {
    uint16_t cpu;

    return snapscope_ticks(SNAPSCOPE_CLOCK_TSC, &cpu);
}

/* What the guest's TSC is ahead of the host's: the plug-in takes the least of many. */
static void tell_clock(void) {
    for (int i = 0; i < CLOCK_ROUNDS; i++)
        channel_say("tsc %llx", (unsigned long long)now());
}

static struct snapscope_tail* tail_of(uint32_t slot) {
    return (struct snapscope_tail*)(file + header->tails_offset) + slot;
}

static struct snapscope_head* head_of(uint32_t slot) {
    return (struct snapscope_head*)(file + header->rings_offset + slot * header->ring_stride);
}

static void renew(void) {
    __atomic_store_n(&control->lease_ticks, now() + header->max_lease_ticks / 4 * 3, __ATOMIC_RELEASE);
}

void events_begin(void) {
    if (header == NULL)
        return;
    for (uint32_t slot = 0; slot < header->slots; slot++)
        tail_of(slot)->tail = __atomic_load_n(&head_of(slot)->head, __ATOMIC_ACQUIRE);
    renew();
    __atomic_store_n(&control->enabled, 1U, __ATOMIC_RELEASE);
    keeper = fork();
    if (keeper == 0)
        for (;;) {
            renew();
            usleep(RENEW_US);
        }
    tell_clock();
}

static void tell_record(uint32_t slot, const struct snapscope_record* record) {
    unsigned long long words[4];

    memcpy(words, record, sizeof(words));
    channel_say("event %x %llx %llx %llx %llx", slot, words[0], words[1], words[2], words[3]);
}

void events_end(void) {
    if (header == NULL)
        return;
    kill(keeper, SIGKILL);
    waitpid(keeper, NULL, 0);
    __atomic_store_n(&control->enabled, 0U, __ATOMIC_RELEASE);
    for (uint32_t slot = 0; slot < header->slots; slot++) {
        const struct snapscope_record* records = (const struct snapscope_record*)(head_of(slot) + 1);
        const uint64_t head = __atomic_load_n(&head_of(slot)->head, __ATOMIC_ACQUIRE);

        for (uint64_t i = tail_of(slot)->tail; i < head; i++)
            tell_record(slot, &records[i % header->ring_capacity]);
    }
    channel_say("told");
}
