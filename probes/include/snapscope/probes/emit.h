/*
 * emit.h - the writer's side of a ring, and one USDT site an event type.
 *
 * Used by the patched server, by the probe benchmark and by test programs, so
 * that what is measured is what ships.  See abi.h for the protocol.
 */
#ifndef SNAPSCOPE_PROBES_EMIT_H
#define SNAPSCOPE_PROBES_EMIT_H

#include <snapscope/probes/ticks.h>
#include <snapscope/probes/usdt.h>

/* A slot's ring as its owner sees it. */
struct snapscope_ring {
    struct snapscope_head* head;
    const struct snapscope_tail* tail; /* the consumer's word, not trusted */
    struct snapscope_record* records;
    uint64_t next;       /* head, kept here so that the shared line is only written */
    uint64_t known_tail; /* last plausible tail */
    uint32_t capacity;   /* a power of two */
};

/* Points RING at slot SLOT of the mapped file BASE; goes on where the slot's last owner stopped. */
static inline void snapscope_ring_attach(struct snapscope_ring* ring, char* base, uint32_t slot) {
    const struct snapscope_header* header = (const struct snapscope_header*)base;
    char* block = base + header->rings_offset + (uint64_t)slot * header->ring_stride;
    uint64_t tail;

    ring->head = (struct snapscope_head*)block;
    ring->records = (struct snapscope_record*)(block + sizeof(struct snapscope_head));
    ring->tail = (const struct snapscope_tail*)(base + header->tails_offset) + slot;
    ring->capacity = header->ring_capacity;
    ring->next = ring->head->head;
    /* What the last owner wrote and nobody has read yet must survive; an implausible tail counts as a full ring. */
    tail = __atomic_load_n(&ring->tail->tail, __ATOMIC_ACQUIRE);
    ring->known_tail = ring->next - tail <= ring->capacity ? tail : ring->next - ring->capacity;
}

/* 1 when the record was stored, 0 when the ring was full and it was dropped. */
static inline int snapscope_ring_push(struct snapscope_ring* ring, const struct snapscope_record* record) {
    if (__builtin_expect(ring->next - ring->known_tail >= ring->capacity, 0)) {
        uint64_t tail = __atomic_load_n(&ring->tail->tail, __ATOMIC_ACQUIRE);

        /* Plausible: not behind what was seen, not ahead of what was written. */
        if (tail - ring->known_tail <= ring->next - ring->known_tail)
            ring->known_tail = tail;
        if (ring->next - ring->known_tail >= ring->capacity)
            return 0;
    }
    ring->records[ring->next & (ring->capacity - 1)] = *record;
    ring->next++;
    __atomic_store_n(&ring->head->head, ring->next, __ATOMIC_RELEASE);
    return 1;
}

/* True while a consumer holds a lease that is believable. */
static inline int snapscope_lease_runs(const struct snapscope_control* control, uint64_t max_lease_ticks,
                                       uint64_t now) {
    uint64_t lease;

    if (__atomic_load_n(&control->enabled, __ATOMIC_RELAXED) == 0)
        return 0;
    lease = __atomic_load_n(&control->lease_ticks, __ATOMIC_RELAXED);
    return lease > now && lease - now <= max_lease_ticks;
}

/* Fires the USDT site of the record's type. */
static inline void snapscope_usdt_fire(uint32_t slot, const struct snapscope_record* record) {
    switch (record->type) {
    case SNAPSCOPE_EV_SNAPSHOT_START: SNAPSCOPE_USDT(snapshot__start, slot, record); break;
    case SNAPSCOPE_EV_SNAPSHOT_DONE: SNAPSCOPE_USDT(snapshot__done, slot, record); break;
    case SNAPSCOPE_EV_REBUILD: SNAPSCOPE_USDT(rebuild, slot, record); break;
    case SNAPSCOPE_EV_WAIT: SNAPSCOPE_USDT(wait, slot, record); break;
    case SNAPSCOPE_EV_COPY: SNAPSCOPE_USDT(copy, slot, record); break;
    case SNAPSCOPE_EV_INVALIDATE: SNAPSCOPE_USDT(invalidate, slot, record); break;
    case SNAPSCOPE_EV_XID_ASSIGNED: SNAPSCOPE_USDT(xid__assigned, slot, record); break;
    case SNAPSCOPE_EV_XACT_END: SNAPSCOPE_USDT(xact__end, slot, record); break;
    case SNAPSCOPE_EV_XMIN_SET: SNAPSCOPE_USDT(xmin__set, slot, record); break;
    case SNAPSCOPE_EV_XMIN_CLEARED: SNAPSCOPE_USDT(xmin__cleared, slot, record); break;
    case SNAPSCOPE_EV_SLOT_TAKEN: SNAPSCOPE_USDT(slot__taken, slot, record); break;
    case SNAPSCOPE_EV_SLOT_RELEASED: SNAPSCOPE_USDT(slot__released, slot, record); break;
    case SNAPSCOPE_EV_RING_ON: SNAPSCOPE_USDT(ring__on, slot, record); break;
    case SNAPSCOPE_EV_HORIZON_REFRESH: SNAPSCOPE_USDT(horizon__refresh, slot, record); break;
    default: break;
    }
}

#endif
