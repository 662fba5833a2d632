/* ops/catalog/op_collective.h - what op.json says of a collective op
 *
 *     "world": 4,                  or a list: "world": [2, 4, 8]
 *     "bandwidth": {"count": "numel(x)", "size": "world * numel(x)",
 *                   "bus": "(world - 1) / world", "redop": "reduce"}
 *
 * As nccl-tests define them (github.com/NVIDIA/nccl-tests, doc/PERFORMANCE.md):
 * `count` is the elements that a rank gives to the operation, `size` those by
 * which bandwidths are computed, both of the first tensor's dtype.
 *
 *     algbw = size in bytes / time        busbw = algbw * bus
 *
 * `bus` is the part of `size` that has to cross the busiest link of a rank:
 * 2 (n - 1) / n for an all-reduce of n ranks, (n - 1) / n where each rank has
 * or gets a piece, 1 for a broadcast.  So busbw can be held against the speed
 * of the links, whatever the operation and the number of ranks.
 *
 * Upstream: op_json.c.  Downstream: the plan, worker/judge.
 */
#ifndef OSW_OPS_OP_COLLECTIVE_H
#define OSW_OPS_OP_COLLECTIVE_H

#include "common/json.h"
#include "ops/catalog/op.h"
#include "ops/inputs/bind.h"
#include "ops/record/record.h"

/* What op.json says: expressions of arguments and of `world`. */
struct osw_op_bandwidth {
    const char *count, *size, *bus;
    const char *redop; /* argument that says how values combine; NULL: none */
};

/* Of one case. */
struct osw_bandwidth {
    double count;         /* elements */
    double bytes;         /* of `size` */
    double bus;           /* busbw over algbw */
    enum osw_redop redop; /* NONE: nothing is combined */
};

/* Read the keys into *op; "world" comes first.  0, or -1 with err set: the
 * file, the key, what was found and expected.
 */
int osw_op_world_read(osw_arena_t *arena, const osw_json_t *v,
                      struct osw_op *op, struct osw_error *err) OSW_MUST_CHECK;
int osw_op_bandwidth_read(osw_arena_t *arena, const osw_json_t *v,
                          struct osw_op *op,
                          struct osw_error *err) OSW_MUST_CHECK;

/* May a gang of so many judge the op? */
bool osw_op_has_world(const struct osw_op *op, uint32_t world);

/* What the arguments of a case come to on so many ranks.  0, or -1 with err set
 * (OSW_BAD_INPUT): the key, and what does not fit the case; an op without the
 * key, or without a tensor, has NaN in all.
 */
int osw_op_bandwidth_of(const struct osw_op *op, uint32_t world,
                        const struct osw_bound_arg *args, size_t n_args,
                        struct osw_bandwidth *out,
                        struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OP_COLLECTIVE_H */
