/* worker/judge/memory/view.h - a tensor in memory, and ways to walk over it
 *
 * Pure arithmetic and plain loads: no process, no device.
 */
#ifndef OSW_WORKER_JUDGE_VIEW_H
#define OSW_WORKER_JUDGE_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ops/notation/tensor.h"
#include "ops/notation/value.h"

struct osw_view {
    void *data; /* address of element 0; borrowed */
    const struct osw_tensor_desc *desc;
};

/* Elements, counting every index of a broadcast dimension. */
int64_t osw_view_numel(const struct osw_view *v);
size_t osw_view_elem_bytes(const struct osw_view *v);

/* Elements with steady steps: k-th (0 <= k < n) is the one of row-major index
 * `index + k * index_step`, at `offset + k * stride` elements from data.
 */
struct osw_run {
    int64_t n;
    int64_t index, index_step;
    int64_t offset, stride;
};

/* An iterator over runs; dimensions that continue each other are joined, so
 * that a contiguous tensor is one run.
 */
struct osw_walk_dim {
    int64_t size, stride, index_step;
    int64_t at;
};

struct osw_walk {
    int32_t n;
    bool done;
    struct osw_walk_dim dim[OSW_MAX_NDIM]; /* outermost first */
    int64_t index, offset;
};

/* In row-major order: index_step is 1, and each run goes on where the one
 * before it ended.
 */
void osw_walk_rows(struct osw_walk *w, const struct osw_tensor_desc *desc);

/* The same from the element of an index on, 0 <= from < numel. */
void osw_walk_rows_from(struct osw_walk *w, const struct osw_tensor_desc *desc,
                        int64_t from);

/* In the order of memory, largest stride outermost; a dimension of stride 0
 * is visited at index 0 only.
 */
void osw_walk_memory(struct osw_walk *w, const struct osw_tensor_desc *desc);

/* The next run, of at most `max` (>= 1) elements; false after the last. */
bool osw_walk_next(struct osw_walk *w, int64_t max, struct osw_run *run);

/* osw_tensor_may_overlap, but for dimensions of stride 0. */
bool osw_view_overlaps(const struct osw_tensor_desc *desc);

/* Is the element at `offset` (in elements, from data) one of the tensor's?
 * If so, *index (may be NULL) is the row-major index of one that lies there.
 */
bool osw_view_find(const struct osw_tensor_desc *desc, int64_t offset,
                   int64_t *index);

/* Offset, in elements, of a row-major index. */
int64_t osw_view_offset(const struct osw_tensor_desc *desc, int64_t index);

/* n elements of a dtype, `stride` elements apart, as doubles.  Bool gives 0
 * or 1; integers beyond 2^53 are rounded; complex gives its real part.
 */
void osw_view_load(enum osw_dtype_id dtype, const void *from, int64_t stride,
                   int64_t n, double *to);

#endif /* OSW_WORKER_JUDGE_VIEW_H */
