/* worker/output.h - an output of a call, as judge and sandbox speak of it
 *
 * Upstream: the protocol and the judge.
 */
#ifndef OSW_WORKER_OUTPUT_H
#define OSW_WORKER_OUTPUT_H

#include <stdint.h>

#include "ops/notation/dtype.h"
#include "ops/notation/value.h"

/* No offset: the thing is not there. */
#define OSW_NO_OFFSET UINT64_MAX

/* Code that makes outputs itself may return an argument, or a view of one.
 * From OSW_SHARES_ARGUMENT on: which argument.
 */
enum osw_shares {
    OSW_SHARES_UNKNOWN = 0, /* the runner gave the memory */
    OSW_SHARES_NOTHING = 1,
    OSW_SHARES_EARLIER = 2, /* a result of the call before, still in use */
    OSW_SHARES_ARGUMENT = 3,
};

/* A tensor among a case's arguments: the argument's index, and from this bit on
 * its place among the tensors of that argument, which is not 0 in lists only.
 */
enum { OSW_ALIAS_PLACE_BIT = 16 };

static inline int32_t osw_output_alias_of(uint32_t arg, uint32_t place)
{
    return (int32_t)(arg | place << OSW_ALIAS_PLACE_BIT);
}

static inline uint32_t osw_output_alias_arg(int32_t alias)
{
    return (uint32_t)alias & ((1U << OSW_ALIAS_PLACE_BIT) - 1);
}

static inline uint32_t osw_output_alias_place(int32_t alias)
{
    return (uint32_t)alias >> OSW_ALIAS_PLACE_BIT;
}

/* An output: as expected in CASE, or as it turned out in RESULT. */
struct osw_output {
    enum osw_dtype_id dtype;
    int32_t ndim;
    int32_t alias;   /* osw_output_alias_of() what it is, or -1: new */
    uint32_t shares; /* enum osw_shares: which memory it uses */
    int64_t shape[OSW_MAX_NDIM];
    int64_t strides[OSW_MAX_NDIM];
    uint64_t offset; /* of element 0 */
    uint64_t exact;  /* float64 [numel], or OSW_NO_OFFSET */
    uint64_t norm;   /* likewise */
};

/* Bytes from element 0 to the end of the last one; -1 when it overflows. */
int64_t osw_output_extent(const struct osw_output *o);

#endif /* OSW_WORKER_OUTPUT_H */
