/*
 * Where the structures lie: read out of the server's memory by what the plan
 * says of pointers and counts.  Each page of them is shown to the plug-in, which
 * then knows the server's pages from those of programs that use the same
 * addresses for something else.
 */
#include "guest.h"

#include "../shared/stream.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MAPPINGS_MAX 512
#define NO_WORD UINT64_MAX
#define SETTLE_LOOKS 15000
#define SETTLE_PAUSE_US 2000

struct mapping {
    uint64_t from, to;
};

static int memory = -1;
static pid_t server;
static uint64_t base; /* where the server's binary is mapped */

static uint64_t word_at(uint64_t address, size_t bytes) {
    uint64_t value = 0;

    if (pread(memory, &value, bytes, (off_t)address) != (ssize_t)bytes)
        give_up("the server's memory at %#llx cannot be read", (unsigned long long)address);
    return value;
}

static int mapping_of(uint64_t address, struct mapping* found) {
    char path[64];
    char line[512];
    int there = 0;
    FILE* maps;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)server);
    maps = fopen(path, "re");
    while (maps != NULL && !there && fgets(line, sizeof(line), maps) != NULL) {
        unsigned long long from = 0;
        unsigned long long to = 0;

        if (sscanf(line, "%llx-%llx", &from, &to) == 2 && from <= address && address < to) {
            *found = (struct mapping){from, to};
            there = 1;
        }
    }
    if (maps != NULL)
        fclose(maps);
    return there;
}

/* Maps the server's page in the window; looking at it makes it exist. */
static void show_page(uint64_t page) {
    const uint64_t address = page * SNAPSCOPE_GUEST_PAGE;
    struct mapping mapping;
    char path[96];
    void* seen;
    int file;

    if (!mapping_of(address, &mapping))
        give_up("the server has nothing mapped at %#llx", (unsigned long long)address);
    snprintf(path, sizeof(path), "/proc/%d/map_files/%llx-%llx", (int)server, (unsigned long long)mapping.from,
             (unsigned long long)mapping.to);
    file = open(path, O_RDONLY | O_CLOEXEC);
    seen = file < 0 ? MAP_FAILED
                    : mmap((void*)(uintptr_t)SNAPSCOPE_WINDOW, SNAPSCOPE_GUEST_PAGE, PROT_READ, MAP_SHARED | MAP_FIXED,
                           file, (off_t)(address - mapping.from));
    if (seen == MAP_FAILED)
        give_up("the server's page at %#llx cannot be mapped", (unsigned long long)address);
    close(file);
    (void)*(volatile const char*)seen;
    munmap(seen, SNAPSCOPE_GUEST_PAGE);
}

static void watch(uint64_t address, uint64_t bytes) {
    const uint64_t first = address / SNAPSCOPE_GUEST_LINE;
    const uint64_t last = (address + bytes - 1) / SNAPSCOPE_GUEST_LINE;
    const uint64_t lines_a_page = SNAPSCOPE_GUEST_PAGE / SNAPSCOPE_GUEST_LINE;

    for (uint64_t page = first / lines_a_page; page <= last / lines_a_page; page++) {
        uint64_t mask = 0;

        for (uint64_t i = 0; i < lines_a_page; i++)
            if (first <= page * lines_a_page + i && page * lines_a_page + i <= last)
                mask |= UINT64_C(1) << i;
        channel_say("page %llx %llx", (unsigned long long)page, (unsigned long long)mask);
        show_page(page);
    }
}

/*
 * range NAME POINTER FIELD ADD HEAD STRIDE COUNT-POINTER COUNT-FIELD: the
 * structure that the variable POINTER points to, or where FIELD is given that
 * its field FIELD points to, ADD bytes on; HEAD bytes long and STRIDE more for
 * each that the 32-bit word COUNT-FIELD of what COUNT-POINTER points to counts.
 */
static void learn(const struct line* line) {
    const uint64_t pointer = plan_number(line, 2);
    const uint64_t field = plan_number(line, 3);
    const uint64_t stride = plan_number(line, 6);
    uint64_t address = word_at(base + pointer, 8);
    uint64_t count = 0;

    if (address != 0 && field != NO_WORD)
        address = word_at(address + field, 8);
    if (address == 0)
        return; /* this server, in this mode, has none */
    address += plan_number(line, 4);
    if (stride != 0)
        count = word_at(word_at(base + plan_number(line, 7), 8) + plan_number(line, 8), 4);
    const uint64_t bytes = plan_number(line, 5) + stride * count;
    watch(address, bytes);
    say("range %s %llu %llu", line->words[1], (unsigned long long)address, (unsigned long long)bytes);
}

/* The plan's marks are addresses: the binary has to be where the driver expects it. */
static void check_base(void) {
    char path[64];
    char line[64] = "";
    FILE* maps;
    unsigned long long from = 0;

    base = plan_number(plan_find("base"), 1);
    snprintf(path, sizeof(path), "/proc/%d/maps", (int)server);
    maps = fopen(path, "re");
    if (maps == NULL || fgets(line, sizeof(line), maps) == NULL || sscanf(line, "%llx-", &from) != 1)
        give_up("the server's mappings cannot be read");
    fclose(maps);
    if (from != plan_number(plan_find("base"), 2))
        give_up("the server's binary lies at %#llx, not where it was expected", from);
}

/* Which code lies where, to name instructions by. */
static void say_text(void) {
    char path[64];
    char line[512];
    FILE* maps;

    snprintf(path, sizeof(path), "/proc/%d/maps", (int)server);
    maps = fopen(path, "re");
    while (maps != NULL && fgets(line, sizeof(line), maps) != NULL) {
        unsigned long long from = 0;
        unsigned long long to = 0;
        char rights[5] = "";
        char file[256] = "";

        if (sscanf(line, "%llx-%llx %4s %*s %*s %*s %255s", &from, &to, rights, file) == 4 && rights[2] == 'x')
            say("text %llu %llu %s", from, to, file);
    }
    if (maps != NULL)
        fclose(maps);
}

void ranges_learn(pid_t pid) {
    char path[64];

    server = pid;
    snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
    memory = open(path, O_RDONLY | O_CLOEXEC);
    check_base();
    say_text();
    for (int i = 0; i < plan_lines(); i++)
        if (strcmp(plan_line(i)->words[0], "range") == 0)
            learn(plan_line(i));
}

void ranges_settle(uint64_t idle) {
    uint64_t pointer = NO_WORD;

    for (int i = 0; i < plan_lines(); i++)
        if (strcmp(plan_line(i)->words[0], "range") == 0 && strcmp(plan_line(i)->words[1], "ProcArray") == 0)
            pointer = plan_number(plan_line(i), 2);
    if (pointer == NO_WORD)
        give_up("the plan does not say where ProcArray lies");
    /* Its first word is how many there are. */
    for (int i = 0; i < SETTLE_LOOKS; i++) {
        if (word_at(word_at(base + pointer, 8), 4) == idle)
            return;
        usleep(SETTLE_PAUSE_US);
    }
    give_up("not only idle connections are left");
}
