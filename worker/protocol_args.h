/* worker/protocol_args.h - arguments of a case: written from values, read as an
 * op sees them
 *
 * Upstream: only protocol.c.
 */
#ifndef OSW_WORKER_PROTOCOL_ARGS_H
#define OSW_WORKER_PROTOCOL_ARGS_H

#include "common/arena.h"
#include "common/wire.h"
#include "ops/inputs/bind.h"
#include "worker/output.h"

/* Tuples and dicts are lists to the ABI.  For a host whose language knows them,
 * one item more follows those of a list; its u.i is the enum
 * osw_items; items of a dict have their key as name.
 */
enum osw_items { OSW_ITEMS_LIST, OSW_ITEMS_TUPLE, OSW_ITEMS_DICT };

/* offsets[]: of each tensor, nested ones included. */
void osw_args_put(struct osw_writer *w, const struct osw_bound_arg *args,
                  uint32_t n, const uint64_t *offsets);

struct osw_args_reader {
    struct osw_reader *r;
    osw_arena_t *arena;
    unsigned char *base; /* NULL: tensors without data */
    uint64_t size;       /* bytes from there on: tensors lie within */
    osw_device device;
    uint32_t left; /* values that may still come */
    struct osw_error *err;
};

/* args[n] and enum osw_given given[n].  0, or -1 with err OSW_PROTOCOL or
 * OSW_NO_MEMORY.
 */
int osw_args_get(struct osw_args_reader *a, uint32_t n, osw_arg *args,
                 uint8_t *given) OSW_MUST_CHECK;

/* [o->ndim] pairs of size and stride. */
static inline void osw_dims_put(struct osw_writer *w, int32_t n,
                                const int64_t *shape, const int64_t *strides)
{
    for (int32_t d = 0; d < n; d++) {
        osw_write_i64(w, shape[d]);
        osw_write_i64(w, strides[d]);
    }
}

static inline void osw_dims_get(struct osw_reader *r, struct osw_output *o)
{
    for (int32_t d = 0; d < o->ndim; d++) {
        o->shape[d] = osw_read_i64(r);
        o->strides[d] = osw_read_i64(r);
    }
}

static inline bool osw_is_within(uint64_t offset, int64_t bytes, uint64_t size)
{
    return bytes >= 0 && offset <= size && (uint64_t)bytes <= size - offset;
}

#endif /* OSW_WORKER_PROTOCOL_ARGS_H */
