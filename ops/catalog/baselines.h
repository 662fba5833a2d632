/* ops/catalog/baselines.h - which implementations speedups are relative to
 *
 * An op has a list of baselines, best first: the campaign's (--baseline), those
 * of op.json, and then by their names those of the device's vendor, torch's own
 * operator, and a plain loop.  The baseline of a case is the first of the list
 * that passes on it.  The reference is none: it computes in float64, and says
 * nothing about speed.
 *
 * A list is one text, its names separated by commas: "onednn,plain"; "" when
 * there is none.
 *
 * Upstream: planning.  Downstream: the judge of a bundle.
 */
#ifndef OSW_OPS_BASELINES_H
#define OSW_OPS_BASELINES_H

#include "ops/catalog/op.h"

/**
 * The list of an op on a device ("cpu", "cuda"), in the arena.  `asked` is the
 * campaign's ("" or one name).  Only implementations that this build can run.
 * NULL: no memory.
 */
const char *osw_baselines_of(osw_arena_t *arena, const struct osw_op *op,
                             const char *device,
                             const char *asked) OSW_MUST_CHECK;

/** The place of `name` in the list, from 0; -1: it is not there. */
int osw_baselines_rank(const char *list, const char *name);

/** Copy name number i, cut at `size`; false: there are not so many. */
bool osw_baselines_at(const char *list, int i, char *name, size_t size);

#endif /* OSW_OPS_BASELINES_H */
