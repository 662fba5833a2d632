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

/* An output: as expected in CASE, or as it turned out in RESULT. */
struct osw_output {
    enum osw_dtype_id dtype;
    int32_t ndim;
    int32_t alias;   /* argument written in place, or -1 */
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
