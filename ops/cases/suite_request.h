/* ops/cases/suite_request.h - what a suite is asked for
 *
 * Upstream: plan_load.c.  Downstream: suite.h.
 */
#ifndef OSW_OPS_SUITE_REQUEST_H
#define OSW_OPS_SUITE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/error.h"
#include "ops/cases/suite_list.h"
#include "ops/catalog/catalog.h"

struct osw_opinfo; /* ops/cases/opinfo.h */

struct osw_suite_request {
    const struct osw_catalog *catalog;
    /* Of it, for what is said about ops that it has not; NULL, "": it is not
     * named.
     */
    const char *root;
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
    struct osw_suite_memory memory; /* that the cases may take */
};

#endif /* OSW_OPS_SUITE_REQUEST_H */
