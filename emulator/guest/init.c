/* Process 1: the course of a run. */
#include "guest.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define READY_LOOKS 6000
#define READY_PAUSE_US 50000
#define IDLE_SAY_EVERY 50

static void mount_all(void) {
    mount("devtmpfs", "/dev", "devtmpfs", 0, NULL);
    mount("proc", "/proc", "proc", 0, NULL);
    mount("sysfs", "/sys", "sysfs", 0, NULL);
    mkdir("/dev/shm", 01777);
    mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777");
    mount("tmpfs", SOCKET_FOLDER, "tmpfs", 0, "mode=1777");
}

static void say_machine(void) {
    for (int cpu = 0;; cpu++) {
        char path[128];
        int package = -1;
        FILE* file;

        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
        file = fopen(path, "re");
        if (file == NULL)
            return;
        if (fscanf(file, "%d", &package) == 1)
            say("cpu %d socket %d", cpu, package);
        fclose(file);
    }
}

static pid_t start_server(void) {
    const pid_t pid = server_start();

    for (int i = 0; i < READY_LOOKS; i++) {
        const int fd = server_connect();

        if (fd >= 0) {
            close(fd);
            return pid;
        }
        if (waitpid(pid, NULL, WNOHANG) == pid)
            give_up("the server ended while starting");
        usleep(READY_PAUSE_US);
    }
    give_up("the server did not get ready");
}

static void open_idle(uint64_t count) {
    for (uint64_t i = 0; i < count; i++) {
        if (server_connect() < 0)
            give_up("idle connection %llu of %llu was refused", (unsigned long long)i + 1, (unsigned long long)count);
        if ((i + 1) % IDLE_SAY_EVERY == 0)
            say("idle %llu", (unsigned long long)i + 1);
    }
}

/*
 * COUNT connections come, and leave in random order: slots are handed out last
 * freed first, so those of whoever comes next are scattered.
 */
static void churn(uint64_t count) {
    int* open_ones = calloc(count, sizeof(*open_ones));
    uint64_t random = 1;

    if (open_ones == NULL)
        give_up("no memory for %llu connections", (unsigned long long)count);
    for (uint64_t i = 0; i < count; i++) {
        open_ones[i] = server_connect();
        if (open_ones[i] < 0)
            give_up("connection %llu of %llu was refused", (unsigned long long)i + 1, (unsigned long long)count);
        if ((i + 1) % IDLE_SAY_EVERY == 0)
            say("churned %llu", (unsigned long long)i + 1);
    }
    for (uint64_t left = count; left > 0; left--) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        const uint64_t which = (random >> 33) % left;

        close(open_ones[which]);
        open_ones[which] = open_ones[left - 1];
        ranges_settle(left - 1); /* one after the other, or they would leave in the order of the scheduler */
    }
    free(open_ones);
}

/* phase N PACE WORDS...: a load, recorded; warm WORDS...: one that is not. */
static void run_phase(const struct line* line) {
    const uint64_t phase = plan_number(line, 1);
    int status;

    ranges_settle(plan_number(plan_find("idle"), 1));
    say("phase %llu", (unsigned long long)phase);
    events_begin();
    channel_say("pace %llu", (unsigned long long)plan_number(line, 2));
    channel_say("start %llu", (unsigned long long)phase);
    status = server_load(line, 3);
    channel_say("stop");
    channel_say("pace 0");
    events_end();
    say("loaded %llu %d", (unsigned long long)phase, status);
    if (status != 0)
        give_up("the load of phase %llu ended with %d", (unsigned long long)phase, status);
}

static void run_plan(void) {
    for (int i = 0; i < plan_lines(); i++) {
        const struct line* line = plan_line(i);

        if (strcmp(line->words[0], "phase") == 0)
            run_phase(line);
        else if (strcmp(line->words[0], "warm") == 0 && server_load(line, 1) != 0)
            give_up("the load before the first phase failed");
    }
}

int main(void) {
    const struct rlimit files = {65536, 65536};
    pid_t server;

    mount_all();
    say_open();
    say("booted");
    setrlimit(RLIMIT_NOFILE, &files);
    plan_read();
    say_machine();
    channel_open();
    channel_self_test();
    server = start_server();
    say("ready");
    ranges_learn(server);
    if (plan_has("churn"))
        churn(plan_number(plan_find("churn"), 1));
    open_idle(plan_number(plan_find("idle"), 1));
    if (plan_has("events"))
        events_open(server);
    run_plan();
    say("done");
    switch_off();
}
