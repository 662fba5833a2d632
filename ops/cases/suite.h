/* ops/cases/suite.h - suites: which cases a campaign asks for, as a table
 *
 * Upstream: catalog, gen_input.json, trace files.  Downstream: the plan.
 * To add a suite, write one function and one row in suite.c.
 */
#ifndef OSW_OPS_SUITE_H
#define OSW_OPS_SUITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/arena.h"
#include "common/error.h"
#include "ops/cases/suite_list.h"
#include "ops/catalog/catalog.h"

struct osw_suite_request {
    const struct osw_catalog *catalog;
    const char *const
        *ops; /* [n_ops] filter: see catalog/select.h, overload.h */
    size_t n_ops;
    const char *const *traces; /* [n_traces] files or folders */
    size_t n_traces;
    uint32_t top;     /* keep so many cases of each op of traces; 0: all */
    bool top_by_size; /* by elements of all tensors; else by calls */
    /* (optional) An op for a call of a trace that the catalog does not cover:
     * owned by `make_arg`; NULL with err set when there is none.
     */
    const struct osw_op *(*make_op)(void *arg, const char *name,
                                    struct osw_error *err);
    void *make_arg;
    const char *opinfo_dtypes; /* "bf16,f32" */
    const char *device;        /* whose operators and dtypes: "cuda" */
    struct osw_opinfo *opinfo; /* (optional) gets what suite opinfo found */
    const char *given; /* a single case, or NULL: then the suite is not asked */
    const char *fill;  /* of the given case, in order, or NULL: the op's */
};

struct osw_opinfo; /* ops/cases/opinfo.h */

struct osw_suite {
    const char *name;
    const char *summary;
    bool needs_custom_root;
    bool needs_traces;
    bool slow;      /* to expand: by running much code */
    bool names_ops; /* that no catalog may have */
    /* Push the cases of the ops that the filter leaves. */
    int (*expand)(const struct osw_suite_request *request,
                  struct osw_suite_list *list, struct osw_error *err);
};

/* Row by name, or NULL; osw_suite_at(i): NULL after the last. */
const struct osw_suite *osw_suite_find(const char *name);
const struct osw_suite *osw_suite_at(size_t i);

/* The cases of a suite (or the one given) in a fixed order: by op, then as
 * written.  Equal (op, case, fill) appear once, their counts added.  An op
 * whose op.json or gen_input.json is wrong is one case with why_not, as long as
 * the filter leaves others.  Blocks on the file system.  *items [*n] and all in
 * it live in the arena.
 *
 * Returns 0, or -1 with err set:
 *   OSW_BAD_INPUT  unknown op in the filter; all ops that were asked for are
 *                  broken, or a trace file is: names file and line or key
 *   OSW_SYSTEM, OSW_NO_MEMORY
 */
int osw_suite_expand(osw_arena_t *arena, const struct osw_suite *suite,
                     const struct osw_suite_request *request,
                     const struct osw_suite_item **items, size_t *n,
                     struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_SUITE_H */
