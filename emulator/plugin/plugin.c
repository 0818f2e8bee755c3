/*
 * The plug-in: records each access of user programs to the watched lines, with
 * its instruction, in the order in which they happened.
 *
 *	 -plugin FILE,stream=PATH[,mark=HEX-ADDRESS...]
 */
#include "plugin.h"
#include "qemu_plugin_api.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <x86intrin.h>

#define MESSAGE_MAX 128

QEMU_PLUGIN_EXPORT int qemu_plugin_version = 1;

static uint64_t marks[SNAPSCOPE_MARKS_MAX];
static unsigned mark_count;
static _Atomic bool recording;
static _Atomic uint64_t foreign;
static uint64_t guest_stamp; /* the host's TSC when the guest's program last read its own */
static uint64_t tsc_ahead;

static void put(unsigned vcpu, uint8_t kind, uint8_t detail, uint64_t address, uint64_t pc) {
    const struct snapscope_stream_record record = {
        .address = address,
        .pc = pc,
        .clock = pace_clock(vcpu),
        .vcpu = (uint8_t)vcpu,
        .kind = kind,
        .detail = detail,
    };

    stream_put(&record);
}

/* ---- what the guest says ---- */

static void stop(unsigned vcpu) {
    atomic_store(&recording, false);
    put(vcpu, SNAPSCOPE_STREAM_STOP, 0, 0, 0);
    put(vcpu, SNAPSCOPE_STREAM_COUNT, SNAPSCOPE_COUNT_BARRIERS, pace_barriers(), 0);
    put(vcpu, SNAPSCOPE_STREAM_COUNT, SNAPSCOPE_COUNT_TIMEOUTS, pace_timeouts(), 0);
    put(vcpu, SNAPSCOPE_STREAM_COUNT, SNAPSCOPE_COUNT_FOREIGN, atomic_exchange(&foreign, 0), 0);
    put(vcpu, SNAPSCOPE_STREAM_COUNT, SNAPSCOPE_COUNT_TSC_AHEAD, tsc_ahead, 0);
    stream_flush();
}

/* Of many readings the one with the least between the two is the truest. */
static void compare_clocks(uint64_t guest) {
    const uint64_t ahead = guest - guest_stamp;

    if (tsc_ahead == 0 || (int64_t)(ahead - tsc_ahead) < 0)
        tsc_ahead = ahead;
}

static void pass_event(unsigned vcpu, const uint64_t* words) {
    put(vcpu, SNAPSCOPE_STREAM_EVENT, 0, words[1], words[0]);
    put(vcpu, SNAPSCOPE_STREAM_EVENT, 1, words[2], words[3]);
    put(vcpu, SNAPSCOPE_STREAM_EVENT, 2, words[4], 0);
}

static void obey(unsigned vcpu, const char* message) {
    uint64_t words[5];
    uint64_t a;
    uint64_t b;

    if (sscanf(message, "page %" SCNx64 " %" SCNx64, &a, &b) == 2)
        watch_page(a, b);
    else if (sscanf(message, "pace %" SCNu64, &a) == 1)
        pace_set(a);
    else if (sscanf(message, "start %" SCNu64, &a) == 1) {
        put(vcpu, SNAPSCOPE_STREAM_START, 0, a, 0);
        atomic_store(&recording, true);
    } else if (strcmp(message, "stop") == 0)
        stop(vcpu);
    else if (sscanf(message, "tsc %" SCNx64, &a) == 1)
        compare_clocks(a);
    else if (sscanf(message, "event %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &words[0], &words[1],
                    &words[2], &words[3], &words[4]) == 5)
        pass_event(vcpu, words);
    else if (strcmp(message, "told") == 0)
        stream_flush();
}

/* One program of the guest says one thing at a time. */
static void hear(unsigned vcpu, uint64_t letter) {
    static char message[MESSAGE_MAX];
    static unsigned length;

    if (letter == SNAPSCOPE_CHANNEL_END_OF_MESSAGE) {
        message[length] = '\0';
        length = 0;
        obey(vcpu, message);
    } else if (length < MESSAGE_MAX - 1)
        message[length++] = (char)letter;
}

/* ---- what the guest does ---- */

struct place {
    qemu_plugin_meminfo_t info;
    uint64_t address;
};

static uint64_t physical(void* context) {
    const struct place* place = context;

    return qemu_plugin_hwaddr_phys_addr(qemu_plugin_get_hwaddr(place->info, place->address));
}

static void guest_program(unsigned vcpu, struct place place) {
    if (place.address - SNAPSCOPE_CHANNEL <= SNAPSCOPE_CHANNEL_END_OF_MESSAGE)
        hear(vcpu, place.address - SNAPSCOPE_CHANNEL);
    else if (place.address == SNAPSCOPE_WINDOW)
        watch_place(physical(&place) / SNAPSCOPE_GUEST_PAGE);
}

static void accessed(unsigned vcpu, qemu_plugin_meminfo_t info, uint64_t address, void* pc) {
    struct place place = {info, address};
    const uint64_t at = (uintptr_t)pc;
    const unsigned bytes = 1U << qemu_plugin_mem_size_shift(info);
    /* The upper half of the word has what the access does; the public call cannot tell a write from a locked one. */
    const uint8_t kind = (uint8_t)(info >> 16);

    if (at - SNAPSCOPE_GUEST_TEXT < SNAPSCOPE_GUEST_TEXT_END - SNAPSCOPE_GUEST_TEXT)
        guest_program(vcpu, place);
    if (!atomic_load_explicit(&recording, memory_order_relaxed))
        return;
    switch (watch_look(address, physical, &place)) {
    case WATCH_NO:
        return;
    case WATCH_FOREIGN:
        atomic_fetch_add(&foreign, 1);
        return;
    case WATCH_YES:
        put(vcpu, kind, (uint8_t)bytes, address, at);
    }
    /* An access to two lines is one to each. */
    if (address % SNAPSCOPE_GUEST_LINE + bytes > SNAPSCOPE_GUEST_LINE)
        put(vcpu, kind, (uint8_t)bytes, (address / SNAPSCOPE_GUEST_LINE + 1) * SNAPSCOPE_GUEST_LINE, at);
}

static void marked(unsigned vcpu, void* which) {
    if (atomic_load_explicit(&recording, memory_order_relaxed))
        put(vcpu, SNAPSCOPE_STREAM_MARK, (uint8_t)(uintptr_t)which, 0, marks[(uintptr_t)which]);
}

static void reads_tsc(unsigned vcpu, void* pc) {
    const uint64_t at = (uintptr_t)pc;
    const uint64_t host = __rdtsc();

    if (at - SNAPSCOPE_GUEST_TEXT < SNAPSCOPE_GUEST_TEXT_END - SNAPSCOPE_GUEST_TEXT)
        guest_stamp = host;
    else if (atomic_load_explicit(&recording, memory_order_relaxed))
        put(vcpu, SNAPSCOPE_STREAM_STAMP, 0, host, at);
}

static bool is_rdtscp(const struct qemu_plugin_insn* insn) {
    static const unsigned char rdtscp[] = {0x0f, 0x01, 0xf9};

    return qemu_plugin_insn_size(insn) == sizeof(rdtscp) &&
           memcmp(qemu_plugin_insn_data(insn), rdtscp, sizeof(rdtscp)) == 0;
}

static void executed(unsigned vcpu, void* instructions) {
    pace_executed(vcpu, (uintptr_t)instructions);
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
    const size_t count = qemu_plugin_tb_n_insns(tb);

    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(tb, executed, QEMU_PLUGIN_CB_NO_REGS, (void*)count);
    for (size_t i = 0; i < count; i++) {
        struct qemu_plugin_insn* insn = qemu_plugin_tb_get_insn(tb, i);
        const uint64_t pc = qemu_plugin_insn_vaddr(insn);

        if (pc >> 47 != 0) /* the kernel's */
            continue;
        qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
                                         (void*)(uintptr_t)pc);
        if (is_rdtscp(insn))
            qemu_plugin_register_vcpu_insn_exec_cb(insn, reads_tsc, QEMU_PLUGIN_CB_NO_REGS, (void*)(uintptr_t)pc);
        for (unsigned m = 0; m < mark_count; m++)
            if (marks[m] == pc)
                qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS, (void*)(uintptr_t)m);
    }
}

static void comes(qemu_plugin_id_t id, unsigned vcpu) {
    (void)id;
    pace_vcpu_comes(vcpu);
}

static void goes(qemu_plugin_id_t id, unsigned vcpu) {
    (void)id;
    pace_vcpu_goes(vcpu);
}

static void ends(qemu_plugin_id_t id, void* nothing) {
    (void)id;
    (void)nothing;
    stream_flush();
}

QEMU_PLUGIN_EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info, int argc, char** argv) {
    if (!info->system_emulation || info->system.max_vcpus > VCPUS_MAX) {
        fprintf(stderr, "snapscope plug-in: not a system of at most %d CPUs\n", VCPUS_MAX);
        return -1;
    }
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "stream=", 7) == 0) {
            if (!stream_open(argv[i] + 7)) {
                perror("snapscope plug-in: cannot open the stream");
                return -1;
            }
        } else if (strncmp(argv[i], "mark=", 5) == 0 && mark_count < SNAPSCOPE_MARKS_MAX)
            marks[mark_count++] = strtoull(argv[i] + 5, NULL, 16);
        else {
            fprintf(stderr, "snapscope plug-in: cannot use the argument %s\n", argv[i]);
            return -1;
        }
    }
    qemu_plugin_register_vcpu_init_cb(id, comes);
    qemu_plugin_register_vcpu_idle_cb(id, goes);
    qemu_plugin_register_vcpu_resume_cb(id, comes);
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ends, NULL);
    return 0;
}
