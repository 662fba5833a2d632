/* worker/judge/compare/weak.h - would a trivial output pass too?
 *
 * Then a pass says nothing about the implementation.  Tried are zeros, the
 * mean of the expected values everywhere, and a copy of an input of the same
 * dtype and shape; but not what the expected result itself is.
 */
#ifndef OSW_WORKER_JUDGE_WEAK_H
#define OSW_WORKER_JUDGE_WEAK_H

#include "worker/judge/memory/place.h"

/* What trivial output would pass for a tensor like `like` (dtype and shape;
 * data is not looked at): "zeros", "the mean everywhere", "a copy of an
 * input"; NULL when none would.  Static strings.  Cheap unless one does: each
 * try ends at the first block with an element that fails.  Values lie in
 * `place`, whose scratch memory is used.
 */
const char *osw_weak_find(const struct osw_place *place,
                          const struct osw_tensor_desc *like,
                          const struct osw_expected *want,
                          const struct osw_accept *accept,
                          const struct osw_view *inputs, size_t n_inputs);

/* Mean of the finite expected values; of complex ones, the real parts. */
double osw_weak_mean(const struct osw_expected *want, int64_t numel);

#endif /* OSW_WORKER_JUDGE_WEAK_H */
