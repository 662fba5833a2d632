/* ops/catalog/op_backward.h - the op that computes an op's gradient
 *
 * op.json's `backward` names its folder, which lies beside this one:
 *
 *     "backward": "scale_backward"
 *     "backward": {"op": "threshold_backward", "grads": ["self"],
 *                  "args": {"self": "out", "threshold": 0}}
 *
 * Each argument of that op is a word of this one, by `args` or else by its own
 * name: an argument; `grad`, `grad1` (also grad_output, grad_out), the gradient
 * of an output; `out`, `out1` (also output, result), an output; "x.dtype"; or a
 * number, a bool or a list of them.  `grads` are the arguments whose gradients
 * it returns, in order; without it all tensors.
 *
 * Upstream: op_json.c.  Downstream: ops/export, `opsweep check`.
 */
#ifndef OSW_OPS_OP_BACKWARD_H
#define OSW_OPS_OP_BACKWARD_H

#include "common/json.h"
#include "ops/catalog/op.h"

/* What op.json says. */
struct osw_op_backward {
    const char *folder;
    size_t n_args;
    const struct osw_op_backward_arg {
        const char *name;    /* of the backward op's argument */
        const char *word;    /* NULL: a literal */
        const char *literal; /* as in Python and in the case notation */
    } * args;
    size_t n_grads; /* 0: all tensors */
    const char *const *grads;
};

enum osw_backward_source {
    OSW_BACKWARD_DEFAULT, /* not given */
    OSW_BACKWARD_GRAD,    /* of output `index` */
    OSW_BACKWARD_OUT,     /* output `index` */
    OSW_BACKWARD_ARG,     /* argument `index` */
    OSW_BACKWARD_DTYPE,   /* of argument `index` */
    OSW_BACKWARD_LITERAL,
};

/* How the backward op is called. */
struct osw_backward_call {
    const struct osw_op *op;
    const struct osw_backward_input {
        enum osw_backward_source source;
        uint32_t index;
        const char *literal;
    } * inputs; /* [op->schema->n_args] */
    size_t n_grads;
    const uint32_t *grads; /* [n_grads] arguments, as the op returns them */
};

/* Read the key.  0, or -1 with err set: the file, the key, what was found. */
int osw_op_backward_read(osw_arena_t *arena, const osw_json_t *v,
                         const struct osw_op_backward **out,
                         struct osw_error *err) OSW_MUST_CHECK;

/* Match it with the schema of the op that it names.  0, or -1 with err set
 * (OSW_BAD_INPUT): what does not fit, and what was expected.
 */
int osw_op_backward_resolve(osw_arena_t *arena, const struct osw_op *op,
                            const struct osw_op *backward,
                            struct osw_backward_call *out,
                            struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_OP_BACKWARD_H */
