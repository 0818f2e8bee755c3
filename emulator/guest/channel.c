/* Bytes to the plug-in, by the addresses of loads (shared/stream.h). */
#include "guest.h"

#include "../shared/stream.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

static void map_page(uint64_t address) {
    void* page = mmap((void*)(uintptr_t)address, SNAPSCOPE_GUEST_PAGE, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

    if (page == MAP_FAILED)
        give_up("the page at %#llx cannot be mapped", (unsigned long long)address);
    memset(page, 0, SNAPSCOPE_GUEST_PAGE);
}

void channel_open(void) {
    map_page(SNAPSCOPE_CHANNEL);
}

static void load(uint64_t address) {
    (void)*(volatile const char*)(uintptr_t)address;
}

void channel_say(const char* format, ...) {
    char message[128];
    va_list list;

    va_start(list, format);
    vsnprintf(message, sizeof(message), format, list);
    va_end(list);
    for (const char* letter = message; *letter != '\0'; letter++)
        load(SNAPSCOPE_CHANNEL + (unsigned char)*letter);
    load(SNAPSCOPE_CHANNEL + SNAPSCOPE_CHANNEL_END_OF_MESSAGE);
}

void channel_self_test(void) {
    void* word = (void*)(uintptr_t)SNAPSCOPE_SELF_TEST;

    map_page(SNAPSCOPE_SELF_TEST);
    map_page(SNAPSCOPE_WINDOW);
    /* The page stands for itself in the window. */
    if (mremap(word, SNAPSCOPE_GUEST_PAGE, SNAPSCOPE_GUEST_PAGE, MREMAP_MAYMOVE | MREMAP_FIXED,
               (void*)(uintptr_t)SNAPSCOPE_WINDOW) == MAP_FAILED)
        give_up("the page of the self-test cannot be moved");
    channel_say("page %llx 1", (unsigned long long)(SNAPSCOPE_SELF_TEST / SNAPSCOPE_GUEST_PAGE));
    load(SNAPSCOPE_WINDOW);
    if (mremap((void*)(uintptr_t)SNAPSCOPE_WINDOW, SNAPSCOPE_GUEST_PAGE, SNAPSCOPE_GUEST_PAGE,
               MREMAP_MAYMOVE | MREMAP_FIXED, word) == MAP_FAILED)
        give_up("the page of the self-test cannot be moved back");

    channel_say("start 0");
    (void)*(volatile uint32_t*)word;
    *(volatile uint32_t*)word = 1;
    __atomic_fetch_add((volatile uint32_t*)word, 1, __ATOMIC_SEQ_CST);
    channel_say("stop");
    munmap(word, SNAPSCOPE_GUEST_PAGE);
}
