/* Fixed-width names for BPF programs, which cannot include the C library's <stdint.h>. */
#ifndef SNAPSCOPE_PROBES_PLAIN_TYPES_H
#define SNAPSCOPE_PROBES_PLAIN_TYPES_H

typedef unsigned char uint8_t;
typedef unsigned short uint16_t;
typedef unsigned int uint32_t;
typedef unsigned long long uint64_t;

#endif
