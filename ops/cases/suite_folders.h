/* ops/cases/suite_folders.h - the cases that op folders list
 *
 * Private to suite.c, of whose suites it is a part.
 */
#ifndef OSW_OPS_SUITE_FOLDERS_H
#define OSW_OPS_SUITE_FOLDERS_H

#include "ops/cases/gen_case.h"
#include "ops/cases/suite_list.h"
#include "ops/cases/suite_request.h"

/* Items being gathered, and memory for the case at hand. */
struct osw_suite_gathering {
    const struct osw_suite_request *r;
    struct osw_suite_list *list;
    osw_arena_t *scratch; /* reset at any case */
    size_t n_trace_files; /* read so far */
};

/* A case of an op into the list. */
int osw_suite_folders_push_case(struct osw_suite_list *list,
                                const struct osw_op *op,
                                const struct osw_gen_case *c,
                                struct osw_error *err) OSW_MUST_CHECK;

/* All cases of the ops that the filter leaves, or only the first of each. */
int osw_suite_folders_push(struct osw_suite_gathering *g, bool first_only,
                           struct osw_error *err) OSW_MUST_CHECK;

#endif /* OSW_OPS_SUITE_FOLDERS_H */
