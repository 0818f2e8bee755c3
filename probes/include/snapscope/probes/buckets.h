/*
 * buckets.h - the log-linear buckets of duration histograms, shared by the
 * eBPF programs and the collector, so that their histograms can be compared.
 *
 * Values below 2^SNAPSCOPE_BUCKET_BITS have a bucket each; above, every power
 * of two is cut into 2^SNAPSCOPE_BUCKET_BITS equal buckets.
 */
#ifndef SNAPSCOPE_PROBES_BUCKETS_H
#define SNAPSCOPE_PROBES_BUCKETS_H

#ifndef __VMLINUX_H__
#include <stdint.h>
#endif

#define SNAPSCOPE_BUCKET_BITS 4U
#define SNAPSCOPE_BUCKET_TOP_BIT 39U /* values from 2^40 on share the last bucket */
#define SNAPSCOPE_BUCKETS ((SNAPSCOPE_BUCKET_TOP_BIT - SNAPSCOPE_BUCKET_BITS + 2U) << SNAPSCOPE_BUCKET_BITS)

/* Index of the highest bit that is set; value is not 0.  No builtin: the BPF target has none. */
static inline uint32_t snapscope_top_bit(uint64_t value) {
    uint32_t bit = 0;

    if (value >> 32) { value >>= 32; bit += 32; }
    if (value >> 16) { value >>= 16; bit += 16; }
    if (value >> 8) { value >>= 8; bit += 8; }
    if (value >> 4) { value >>= 4; bit += 4; }
    if (value >> 2) { value >>= 2; bit += 2; }
    return bit + ((value >> 1) != 0 ? 1U : 0U);
}

static inline uint32_t snapscope_bucket_of(uint64_t value) {
    uint32_t top = 0, low = 0;

    if (value < (1U << SNAPSCOPE_BUCKET_BITS))
        return value & 0xffffffffU;
    top = snapscope_top_bit(value);
    if (top > SNAPSCOPE_BUCKET_TOP_BIT)
        return SNAPSCOPE_BUCKETS - 1;
    low = (value >> (top - SNAPSCOPE_BUCKET_BITS)) & ((1U << SNAPSCOPE_BUCKET_BITS) - 1);
    return ((top - SNAPSCOPE_BUCKET_BITS + 1) << SNAPSCOPE_BUCKET_BITS) + low;
}

/* Smallest value of a bucket. */
static inline uint64_t snapscope_bucket_floor(uint32_t bucket) {
    uint32_t power = bucket >> SNAPSCOPE_BUCKET_BITS;
    uint64_t low = bucket & ((1U << SNAPSCOPE_BUCKET_BITS) - 1);

    if (power == 0)
        return low;
    return (low + (1U << SNAPSCOPE_BUCKET_BITS)) << (power - 1);
}

#endif
