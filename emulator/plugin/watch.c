/*
 * Watched lines, by page: a hash table that is filled before anything is
 * recorded and only read afterwards.
 *
 * Programs of the guest other than the server may use the same addresses for
 * something else, so a watched page is known by where it really lies, too.
 */
#include "plugin.h"

#include <stdlib.h>

#define SLOT_BITS 13 /* several times what any server needs, and small enough for a cache */
#define SLOTS (1 << SLOT_BITS)
#define FILLED_MAX (SLOTS / 2)

struct watched_page {
    uint64_t page; /* 0: free */
    uint64_t mask;
    uint64_t physical_page;
};

static struct watched_page table[SLOTS];
static struct watched_page* named_last;
static unsigned filled;

static struct watched_page* slot_of(uint64_t page) {
    uint64_t at = (page * UINT64_C(0x9E3779B97F4A7C15)) >> (64 - SLOT_BITS);

    while (table[at].page != 0 && table[at].page != page)
        at = (at + 1) % SLOTS;
    return &table[at];
}

void watch_page(uint64_t page, uint64_t mask) {
    struct watched_page* slot = slot_of(page);

    if (slot->page == 0 && ++filled > FILLED_MAX)
        abort();
    slot->page = page;
    slot->mask |= mask;
    named_last = slot;
}

void watch_place(uint64_t physical_page) {
    if (named_last != NULL)
        named_last->physical_page = physical_page;
    named_last = NULL;
}

enum watched watch_look(uint64_t address, uint64_t (*physical)(void* context), void* context) {
    const struct watched_page* slot = slot_of(address / SNAPSCOPE_GUEST_PAGE);
    const uint64_t line = address % SNAPSCOPE_GUEST_PAGE / SNAPSCOPE_GUEST_LINE;

    if (slot->page == 0 || (slot->mask >> line & 1) == 0)
        return WATCH_NO;
    return physical(context) / SNAPSCOPE_GUEST_PAGE == slot->physical_page ? WATCH_YES : WATCH_FOREIGN;
}
