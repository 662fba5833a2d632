/* worker/judge/memory/layout.h - where things lie in an arena (pure arithmetic)
 *
 *   inputs zone    guard | tensor 0 | guard | tensor 1 | ... | guard
 *   outputs zone   guard | output 0 | guard | output 1 | ... | guard
 *   restore zone   copies of tensors that are written in place
 *   spill          what is asked for beyond that, scratch memory
 *
 * The same in every arena of a bundle and in the judge's own image of the
 * inputs zone, so that filling an arena is one copy, and finding a write to
 * an input, to a guard or to a gap between strided elements one comparison.
 */
#ifndef OSW_WORKER_JUDGE_LAYOUT_H
#define OSW_WORKER_JUDGE_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/notation/value.h"
#include "worker/protocol.h"

enum { OSW_LAYOUT_ALIGN = 256 };

/* Place n tensors from 0 on: offsets[i] of their first elements, aligned but
 * for the elements that a tensor leaves out before; returns the end of the
 * zone, or OSW_NO_OFFSET when it passes `limit`.
 */
uint64_t osw_layout_inputs(const struct osw_tensor_desc *const *tensors,
                           size_t n, uint64_t limit, uint64_t *offsets);

/* Place outputs that are not aliases from `at` on, setting their offset;
 * returns the end of the zone, or OSW_NO_OFFSET.
 */
uint64_t osw_layout_outputs(struct osw_output *outputs, size_t n, uint64_t at,
                            uint64_t limit);

#endif /* OSW_WORKER_JUDGE_LAYOUT_H */
