/* worker/judge/inputs/fill.h - inputs by counter: the same bits everywhere
 *
 * An element is a function of (seed, tensor, rep, row-major index), whatever
 * the strides, the chunks or the machine (philox.h, random_values.h).  The seed
 * is that of an op, a case and a trial (osw_trial_draw() in trial.h).  Two
 * exceptions:
 * along a dimension of stride 0 the coordinate counts as 0, and a tensor that
 * overlaps itself otherwise (osw_tensor_may_overlap) takes the offset in its
 * storage, in elements, as the index.
 *
 * Permutations and indices (`index`, from two elements on: the least and the
 * largest are there) depend on the number of elements, too.
 *
 * Every kind goes with every dtype.  Real kinds (normal, uniform, positive,
 * unit, special, ties) are the default fill for integers and bool, as `wide` is
 * for floating types and bool; other integer kinds are cut to the range of an
 * integer dtype, and rounded to a floating one.  16-bit
 * types are rounded from 32, so `uniform` may reach 1 there.  Complex numbers
 * have both parts random, but for constant and permutation.
 */
#ifndef OSW_WORKER_JUDGE_FILL_H
#define OSW_WORKER_JUDGE_FILL_H

#include "ops/inputs/fill.h"
#include "worker/judge/memory/view.h"

/* Write every element of the view; gaps between them stay as they are. */
void osw_fill_tensor(const struct osw_view *v, const struct osw_fill *fill,
                     uint64_t seed, uint32_t tensor, uint32_t rep);

/* Make the same values again and compare, to the bit: the row-major index of
 * an element that differs (the first one in memory), or -1.
 */
int64_t osw_fill_differs(const struct osw_view *v, const struct osw_fill *fill,
                         uint64_t seed, uint32_t tensor, uint32_t rep);

#endif /* OSW_WORKER_JUDGE_FILL_H */
