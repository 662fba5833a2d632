/* ops/notation/tensor.h - sizes and layouts of tensors, from shape and strides
 * alone
 *
 * Pure arithmetic over [ndim] non-negative sizes and strides in elements,
 * ndim <= OSW_MAX_NDIM.  Whatever does not fit in int64_t gives -1.
 */
#ifndef OSW_OPS_TENSOR_H
#define OSW_OPS_TENSOR_H

#include <stdbool.h>
#include <stdint.h>

#include "ops/notation/value.h"

/* Number of elements: 1 without dimensions, 0 when any size is 0. */
int64_t osw_tensor_numel(int32_t ndim, const int64_t *shape);

/* Row-major strides into strides[ndim]; a size of 0 counts as 1 here.  Returns
 * 0, or -1 when one does not fit (then strides[] is not to be used).
 */
int osw_tensor_contiguous(int32_t ndim, const int64_t *shape, int64_t *strides);

/* Elements from the first to the last that is addressed, both included:
 * 1 + sum of (shape - 1) * stride; 0 when the tensor is empty.
 */
int64_t osw_tensor_extent(int32_t ndim, const int64_t *shape,
                          const int64_t *strides);

/* Row-major without gaps; strides of dimensions of size 1 do not count, and
 * an empty tensor is contiguous.
 */
bool osw_tensor_is_contiguous(int32_t ndim, const int64_t *shape,
                              const int64_t *strides);

/* True when two indices may address one element.  Exact, but for gapped
 * layouts whose dimensions interleave (which no slicing, transposing or
 * expanding makes): those are called overlapping without looking closer.
 */
bool osw_tensor_may_overlap(int32_t ndim, const int64_t *shape,
                            const int64_t *strides);

/* True when some element of the extent is addressed by no index.  Exact. */
bool osw_tensor_has_gaps(int32_t ndim, const int64_t *shape,
                         const int64_t *strides);

/* Bytes of memory that a described tensor spans: extent times element. */
int64_t osw_tensor_bytes(const struct osw_tensor_desc *desc);

/* Bytes that it leaves out before its first element. */
uint64_t osw_tensor_bytes_before(const struct osw_tensor_desc *desc);

/* Bytes of its elements, each counted once however many indices address it;
 * -1 as above.
 */
int64_t osw_tensor_unique_bytes(const struct osw_tensor_desc *desc);

#endif /* OSW_OPS_TENSOR_H */
