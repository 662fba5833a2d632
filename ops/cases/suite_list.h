/* ops/cases/suite_list.h - cases being gathered: equal ones once
 *
 * Upstream: the suites in ops/cases/suite.c.  Equal (op, case, fill) become one
 * item, their calls added.
 */
#ifndef OSW_OPS_SUITE_LIST_H
#define OSW_OPS_SUITE_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/catalog/op.h"
#include "ops/notation/value.h"

enum { OSW_SUITE_MAX_ITEMS = 1000000 };

/* One case of one op, before anything is decided about it. */
struct osw_suite_item {
    const struct osw_op *op; /* NULL: no op covers it */
    const char *op_name;     /* canonical; as in the trace without an op */
    const char *case_text;   /* canonical case notation */
    const char *fill; /* resolved fills in order: see ops/inputs/fill_text.h */
    struct osw_case parsed;
    const char *why_not; /* not NULL: cannot be judged, for this reason */
    bool broken;         /* which is that its op's folder cannot be read */
    uint64_t count;      /* calls in the traces; 0 when from elsewhere */
    bool performance;    /* wanted for its time too */
    uint64_t digest;     /* of values that code generated; 0: none */
    uint32_t order;      /* as it came; of equal ones the first */
};

struct osw_suite_list {
    osw_arena_t *arena;           /* of what the items point to */
    struct osw_suite_item *items; /* [n] owned, on the heap */
    size_t n, size;
    uint32_t *slots; /* [n_slots] index + 1 of an item; 0: free; owned */
    size_t n_slots;
};

/* Add an item; its texts are borrowed from the arena.
 * Returns 0, or -1 with err set: OSW_BAD_INPUT when there are too many,
 * OSW_NO_MEMORY.
 */
int osw_suite_list_push(struct osw_suite_list *list,
                        const struct osw_suite_item *item,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Of each op keep the `top` items with the most calls (or elements); 0: all.
 * Then sort by op, and within an op by the order in which they came.
 */
void osw_suite_list_arrange(struct osw_suite_list *list, uint32_t top,
                            bool by_size);

void osw_suite_list_free(struct osw_suite_list *list);

#endif /* OSW_OPS_SUITE_LIST_H */
