/* worker/judge/inputs/recipe_stores.h - values of a block to the bytes of one
 * part
 *
 * Upstream: recipe.h.
 */
#ifndef OSW_WORKER_JUDGE_RECIPE_STORES_H
#define OSW_WORKER_JUDGE_RECIPE_STORES_H

#include <stdint.h>

#include "ops/notation/dtype.h"
#include "worker/judge/inputs/philox_blocks.h"

/* The types in which values are generated. */
union osw_values {
    float f[OSW_PHILOX_BLOCKS_BLOCK];
    double d[OSW_PHILOX_BLOCKS_BLOCK];
    int64_t i[OSW_PHILOX_BLOCKS_BLOCK];
};

/* By the type of the values; NULL: nothing generates them for this dtype. */
struct osw_recipe_store {
    void (*f32)(const union osw_values *from, void *to);
    void (*f64)(const union osw_values *from, void *to);
    void (*i64)(const union osw_values *from, void *to);
};

/* By the dtype of a part, enum osw_dtype_id. */
extern const struct osw_recipe_store osw_recipe_stores[];

#endif /* OSW_WORKER_JUDGE_RECIPE_STORES_H */
