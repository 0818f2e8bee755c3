/* bench_tracepoint.h - what a ring's record says, as an LTTng-UST tracepoint. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER snapscope_bench

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "./bench_tracepoint.h"

#if !defined(SNAPSCOPE_BENCH_TRACEPOINT_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define SNAPSCOPE_BENCH_TRACEPOINT_H

#include <lttng/tracepoint.h>
#include <snapscope/probes/abi.h>

/* The stamp and the CPU are LTTng's own. */
LTTNG_UST_TRACEPOINT_EVENT(
    snapscope_bench, snapshot_done, LTTNG_UST_TP_ARGS(const struct snapscope_record*, record),
    LTTNG_UST_TP_FIELDS(lttng_ust_field_integer(uint8_t, type, record->type)
                            lttng_ust_field_integer(uint8_t, outcome, record->outcome)
                                lttng_ust_field_integer(uint16_t, lines, record->lines)
                                    lttng_ust_field_integer(uint16_t, flags, record->flags)
                                        lttng_ust_field_integer(uint32_t, a, record->a)
                                            lttng_ust_field_integer(uint32_t, b, record->b)
                                                lttng_ust_field_integer(uint32_t, c, record->c)
                                                    lttng_ust_field_integer(uint32_t, d, record->d)))

#endif

#include <lttng/tracepoint-event.h>
