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

enum { OSW_SUITE_MAX_ITEMS = 1000000000 }; /* memory ends before */

/* One case of one op, before anything is decided about it.  A campaign may have
 * 10^8 of them: what can be had from case_text is not kept.
 */
struct osw_suite_item {
    const struct osw_op *op; /* NULL: no op covers it */
    const char *op_name;     /* canonical; as in the trace without an op */
    const char *case_text;   /* canonical case notation */
    const char *fill; /* resolved fills in order: see ops/inputs/fill_text.h */
    const char *why_not; /* not NULL: cannot be judged, for this reason */
    uint64_t count;      /* calls in the traces; 0 when from elsewhere */
    uint64_t digest;     /* of values that code generated; 0: none */
    uint32_t order;      /* as it came; of equal ones the first */
    bool performance;    /* wanted for its time too */
    bool broken;         /* why_not is that its op's folder cannot be read */
};

/* What a case may take, of which the planner says its own part. */
struct osw_suite_memory {
    uint64_t max_bytes; /* of all cases; 0: as much as there is */
    uint64_t each;      /* bytes a case, beside what the list takes itself */
};

enum { OSW_SUITE_N_SHARED = 256 };

struct osw_suite_list {
    osw_arena_t *arena; /* of the texts that the items point to */
    struct osw_suite_memory memory;
    struct osw_suite_item *items; /* [n] owned, on the heap */
    size_t n, size;
    uint32_t *slots; /* [n_slots] index + 1 of an item; 0: free; owned */
    size_t n_slots;
    uint64_t bytes;                         /* that the items take */
    const char *shared[OSW_SUITE_N_SHARED]; /* texts of late, by their hash */
};

/* Add an item.  Its texts are copied into the arena, but for op_name if there
 * is an op.  Returns 0, or -1 with err set: OSW_NO_MEMORY, also when the items
 * would take more than memory.max_bytes.
 */
int osw_suite_list_push(struct osw_suite_list *list,
                        const struct osw_suite_item *item,
                        struct osw_error *err) OSW_MUST_CHECK;

/* Would n more fit?  They are taken to be small.  Returns 0, or -1 with err
 * set: OSW_NO_MEMORY, with how much they need and how much there is.
 */
int osw_suite_list_expect(const struct osw_suite_list *list, size_t n,
                          struct osw_error *err) OSW_MUST_CHECK;

/* Forget the items from the n-th on: all those of one op, so that none of them
 * was added to an earlier one.
 */
void osw_suite_list_cut(struct osw_suite_list *list, size_t n);

/* Of each op keep the `top` items with the most calls (or elements); 0: all.
 * Then sort by op, and within an op by the order in which they came.
 * Returns 0, or -1 with err set: OSW_NO_MEMORY.
 */
int osw_suite_list_arrange(struct osw_suite_list *list, uint32_t top,
                           bool by_size, struct osw_error *err) OSW_MUST_CHECK;

/* The items before the n-th are no longer needed: give their memory back to the
 * system, where whole pages of it are free.  They are zeros from now on.
 */
void osw_suite_list_release(struct osw_suite_list *list, size_t n);

void osw_suite_list_free(struct osw_suite_list *list);

#endif /* OSW_OPS_SUITE_LIST_H */
