/* worker/judge/inputs/recipe.h - how a fill makes the bytes of elements
 *
 * Upstream: fill.c, which walks over tensors, and its twin on a device, which
 * needs only the rule.  Made once per tensor, then used on blocks of elements
 * in any order.
 */
#ifndef OSW_WORKER_JUDGE_RECIPE_H
#define OSW_WORKER_JUDGE_RECIPE_H

#include "ops/inputs/fill.h"
#include "worker/judge/inputs/element.h"
#include "worker/judge/inputs/philox_blocks.h"
#include "worker/judge/inputs/recipe_stores.h"
#include "worker/judge/memory/view.h"

enum { OSW_RECIPE_ELEM_BYTES = 16 /* of the largest dtype */ };

/* Words of a real element (four), or of one part of a complex one (two: c and
 * d are NULL).
 */
struct osw_philox_blocks_part {
    const uint32_t *a, *b, *c, *d; /* [OSW_PHILOX_BLOCKS_BLOCK] */
};

/* The rule, and how this processor follows it for many elements at once. */
struct osw_recipe {
    void (*draw)(const struct osw_recipe *p,
                 const struct osw_philox_blocks_part *w, const int64_t *index,
                 union osw_values *out);
    void (*store)(const union osw_values *from, void *to);
    struct osw_element_rule rule;
    uint64_t seed;
    bool by_offset;    /* the index is the offset: the tensor overlaps */
    size_t part_bytes; /* of one part */
    int64_t constant;  /* it, or the bits of a double */
};

/* See fill.h. */
struct osw_recipe osw_recipe_make(const struct osw_view *v,
                                  const struct osw_fill *fill, uint64_t seed,
                                  uint32_t tensor, uint32_t rep);

/* The elements of OSW_PHILOX_BLOCKS_BLOCK indices, side by side. */
void osw_recipe_block(const struct osw_recipe *p, const int64_t *index,
                      unsigned char *bytes);

#endif /* OSW_WORKER_JUDGE_RECIPE_H */
